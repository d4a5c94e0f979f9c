/* Runs every suite of sync; fails when one test does. */
#include "runner.h"
#include "suites.h"

static const suite_fn suites[] = {
    headers_suite,    download_suite,  blocks_suite,      serve_suite,
    announce_suite,   cfilters_suite,  rebuild_suite,     txset_suite,
    txpool_suite,     txrequest_suite, txorphans_suite,   txrelay_suite,
    txannounce_suite, txserve_suite,   txfeefilter_suite,
};

int main(void)
{
	return RUN_SUITES(suites);
}
