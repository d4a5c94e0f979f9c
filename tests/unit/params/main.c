/* Runs every suite of params; fails when one test does. */
#include "runner.h"
#include "suites.h"

static const suite_fn suites[] = {names_suite, params_suite};

int main(void)
{
	return RUN_SUITES(suites);
}
