/* Calls of the monitor and nothing else: what they take in flash. */
#include <string.h>

#include "motor.h"

static motor_t monitor;
static volatile eig_status status;
static float sample[MOTOR_CHANNELS];
static eig_verdict verdict;
static uint8_t image[MOTOR_IMAGE_BYTES];

void _start(void);

void _start(void) {
  /* Every program has these two. */
  void *(*volatile copy)(void *, const void *, size_t) = memcpy;
  void *(*volatile fill)(void *, int, size_t) = memset;
  copy(image, sample, sizeof sample);
  fill(image, 0, sizeof image);
#ifdef WATCH
  const eig_settings settings = eig_settings_default();
  status = motor_init(&monitor, &settings);
  status = motor_observe(&monitor, sample, &verdict);
#endif
#ifdef SAVE
  status = motor_save(&monitor, image, sizeof image);
  status = motor_load(&monitor, image, sizeof image, &settings);
#endif
  for (;;) {
  }
}
