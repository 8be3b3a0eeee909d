/* Pointers and storage that are wrong in every way that can be told apart: each call must be refused and must touch nothing else.
 * Runs on every core, and on a computer also with AddressSanitizer and under valgrind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motor.h"

static int failures = 0;

static void expect(const char *what, eig_status found, eig_status wanted) {
  if (found != wanted) {
    printf("%s: %s, wanted %s\n", what, eig_strerror(found), eig_strerror(wanted));
    failures++;
  }
}

static void expect_text(const char *what, const char *found, const char *wanted) {
  if (strcmp(found, wanted) != 0) {
    printf("%s: %s, wanted %s\n", what, found, wanted);
    failures++;
  }
}

int main(void) {
  const eig_settings settings = eig_settings_default();
  const float sample[MOTOR_CHANNELS] = {0.0f};
  /* A compiler that sees the null pointer would warn. */
  const float *volatile nothing = NULL;
  float *volatile nowhere = NULL;
  float parts[MOTOR_CHANNELS];
  eig_verdict verdict;
  /* On the heap, with nothing behind it: a byte too far is found by the sanitizer. */
  motor_t *monitor = (motor_t *)malloc(sizeof *monitor);
  uint8_t *image = (uint8_t *)malloc(MOTOR_IMAGE_BYTES);
  uint8_t *crooked = (uint8_t *)malloc(sizeof *monitor + 8);
  if (monitor == NULL || image == NULL || crooked == NULL) {
    return 1;
  }

  expect("null storage", motor_init(NULL, &settings), EIG_NULL_POINTER);
  expect("null settings", motor_init(monitor, NULL), EIG_NULL_POINTER);
  expect("misaligned storage", motor_init((motor_t *)(void *)(crooked + 1), &settings), EIG_MISALIGNED);
  eig_settings older = settings;
  older.size -= 4;
  expect("settings of another header", motor_init(monitor, &older), EIG_SETTINGS_SIZE);
  eig_settings wild = settings;
  wild.release = -1.0f;
  expect("a setting out of range", motor_init(monitor, &wild), EIG_BAD_SETTING);
  expect_text("the name of this setting", motor_bad_setting(&wild), "release");
  expect_text("the name of a wrong size", motor_bad_setting(&older), "size");
  expect_text("good settings", motor_bad_setting(&settings), "none");
  expect_text("no settings", motor_bad_setting(NULL), "none");

  memset(monitor, 0, sizeof *monitor);
  expect("zeroed storage", motor_observe(monitor, sample, &verdict), EIG_NOT_INITIALISED);
  memset(monitor, 0xa5, sizeof *monitor);
  expect("storage full of garbage", motor_observe(monitor, sample, &verdict), EIG_NOT_INITIALISED);
  expect("the parts of garbage", motor_contribution(monitor, parts), EIG_NOT_INITIALISED);

  expect("init", motor_init(monitor, &settings), EIG_OK);
  expect("null sample", motor_observe(monitor, nothing, &verdict), EIG_NULL_POINTER);
  expect("null verdict", motor_observe(monitor, sample, NULL), EIG_NULL_POINTER);
  for (int time = 0; time < 100; time++) {
    expect("observe", motor_observe(monitor, sample, &verdict), EIG_OK);
  }
  expect("the parts", motor_contribution(monitor, parts), EIG_OK);
  expect("parts to nowhere", motor_contribution(monitor, nowhere), EIG_NULL_POINTER);
  expect("misaligned parts", motor_contribution(monitor, (float *)(void *)(crooked + 1)), EIG_MISALIGNED);
  expect("save", motor_save(monitor, image, MOTOR_IMAGE_BYTES), EIG_OK);
  expect("a short buffer", motor_save(monitor, image, MOTOR_IMAGE_BYTES - 1), EIG_SHORT_BUFFER);
  expect("load", motor_load(monitor, image, MOTOR_IMAGE_BYTES, &settings), EIG_OK);
  image[MOTOR_IMAGE_BYTES / 2] ^= 1;
  expect("a damaged image", motor_load(monitor, image, MOTOR_IMAGE_BYTES, &settings), EIG_BAD_IMAGE);
  expect("a torn image", motor_load(monitor, image, 10, &settings), EIG_BAD_IMAGE);
  expect("a null image", motor_load(monitor, NULL, MOTOR_IMAGE_BYTES, &settings), EIG_NULL_POINTER);

  /* A neighbour writes over either end. */
  uint8_t *bytes = (uint8_t *)monitor;
  bytes[0] ^= 0xff;
  expect("the first byte overwritten", motor_observe(monitor, sample, &verdict), EIG_NOT_INITIALISED);
  bytes[0] ^= 0xff;
  expect("the first byte again", motor_observe(monitor, sample, &verdict), EIG_OK);
  uint8_t *end = bytes + sizeof *monitor - 8;
  uint8_t kept[8];
  memcpy(kept, end, sizeof kept);
  memset(end, 0xff, sizeof kept);
  expect("the last bytes overwritten", motor_observe(monitor, sample, &verdict), EIG_NOT_INITIALISED);
  memcpy(end, kept, sizeof kept);
  expect("the last bytes again", motor_observe(monitor, sample, &verdict), EIG_OK);

  expect_text("the name of a state", eig_state_name(EIG_SECOND_NORMAL), "second normal");
  expect_text("the name of a phase", eig_phase_name(verdict.phase), "warmup");
  expect_text("the name of a condition", eig_channel_name(EIG_CHANNEL_STUCK), "stuck");
  printf(failures == 0 ? "every misuse was refused\n" : "some misuse was not refused\n");
  free(monitor);
  free(image);
  free(crooked);
  return failures == 0 ? 0 : 1;
}
