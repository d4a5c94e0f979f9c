/* The suites of node, and what they share: settings from words, scratch files.
 */
#ifndef CAIRN_TESTS_UNIT_NODE_SUITES_H
#define CAIRN_TESTS_UNIT_NODE_SUITES_H

#include <cairn/node/settings.h>
#include <check.h>

Suite *block_options_suite(void);
Suite *descriptors_suite(void);
Suite *grants_suite(void);
Suite *interactions_suite(void);
Suite *log_options_suite(void);
Suite *mailbox_suite(void);
Suite *options_suite(void);
Suite *params_apply_suite(void);
Suite *pool_options_suite(void);
Suite *poolcopy_suite(void);
Suite *poolfile_suite(void);
Suite *settings_suite(void);

/* A fresh empty folder; scratch_free removes it with all it holds. */
char *scratch_new(void);
void scratch_free(char *dir);
void scratch_put(const char *dir, const char *name, const char *text);

/* Fresh settings with the options of words (split at blanks) for a chain; fails
 * the test when they cannot be read. */
void conf_words(struct conf *c, enum chain_id chain, const char *words);
/* settings_load with these words. */
int load_words(struct settings *s, const char *words, struct text *err);

#endif
