/* Prints the stack of init, observe, observe with missing channels, save and load in bytes. It fills the stack below it with a
 * pattern, calls the function and counts the bytes down to the lowest one that has changed. */
#include <math.h>
#include <stdio.h>

#include "motor.h"

#define DEEPEST 16000
#define PATTERN 0xa5

static motor_t monitor;
static eig_settings settings;
static eig_verdict verdict;
static float sample[MOTOR_CHANNELS];
static uint8_t image[MOTOR_IMAGE_BYTES];
static eig_status status;

static void init(void) {
  status = motor_init(&monitor, &settings);
}

static void observe(void) {
  status = motor_observe(&monitor, sample, &verdict);
}

static void save(void) {
  status = motor_save(&monitor, image, sizeof image);
}

static void load(void) {
  status = motor_load(&monitor, image, sizeof image, &settings);
}

static int stack_of(void (*volatile call)(void)) {
  volatile uint8_t *top = (volatile uint8_t *)__builtin_frame_address(0);
  int deep = DEEPEST;
  /* The first bytes belong to this function. */
  for (int place = 64; place <= DEEPEST; place++) {
    *(top - place) = PATTERN;
  }
  call();
  while (deep > 64 && *(top - deep) == PATTERN) {
    deep--;
  }
  return deep;
}

int main(void) {
  uint32_t state = 1;
  int most[2] = {0, 0};
  settings = eig_settings_default();
  settings.missing = EIG_MISSING_IMPUTE;
  const int of_init = stack_of(init);
  for (int time = 0; time < 3000 && status == EIG_OK; time++) {
    for (int channel = 0; channel < MOTOR_CHANNELS; channel++) {
      state = state * 1664525u + 1013904223u;
      sample[channel] = (float)(state >> 16);
    }
    /* The last samples have two channels without a value. */
    const int missing = time >= 2900;
    if (missing) {
      sample[0] = NAN;
      sample[MOTOR_CHANNELS - 1] = NAN;
    }
    const int stack = stack_of(observe);
    most[missing] = stack > most[missing] ? stack : most[missing];
  }
  const int of_save = stack_of(save);
  const int of_load = stack_of(load);
  printf("%d %d %d %d %d\n", of_init, most[0], most[1], of_save, of_load);
  return status == EIG_OK ? 0 : 1;
}
