/* Runs every suite of sync; fails when one test does. */
#include "runner.h"
#include "suites.h"

static const suite_fn suites[] = {
    headers_suite, download_suite, blocks_suite,
    serve_suite,   announce_suite, cfilters_suite,
};

int main(void)
{
	return RUN_SUITES(suites);
}
