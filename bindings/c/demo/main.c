/* A monitor on a motor that this program makes up: it learns, a bearing goes bad, the monitor says so, and an image goes on.
 * The random numbers are integers and every conversion is exact, so that the digest at the end is one number on every machine. */
#include <stdio.h>

#include "motor.h"

#define TRAINING 2048
#define FAULT 3000
#define END 4000

static uint32_t state = 1;

/* A number from -0.5 to 0.5, of 16 bits. */
static float noise(void) {
  state = state * 1664525u + 1013904223u;
  return (float)(int32_t)(state >> 16) * (1.0f / 65536.0f) - 0.5f;
}

/* One sample: all channels follow the load, each by another part of it. From FAULT on the last channel does not. */
static void read_sensors(int time, float sample[MOTOR_CHANNELS]) {
  const float load = noise();
  for (int channel = 0; channel < MOTOR_CHANNELS; channel++) {
    const float part = (float)(channel + 1) * 0.5f;
    sample[channel] = part * load + 0.25f * noise();
  }
  if (time >= FAULT) {
    sample[MOTOR_CHANNELS - 1] += 8.0f * noise();
  }
}

/* FNV-1a over the bits of a number. */
static uint64_t digest_of(uint64_t digest, float number) {
  union {
    float number;
    uint32_t bits;
  } view;
  view.number = number;
  for (int byte = 0; byte < 4; byte++) {
    digest = (digest ^ ((view.bits >> (8 * byte)) & 255u)) * UINT64_C(0x100000001b3);
  }
  return digest;
}

static motor_t monitor;
static motor_t restored;
static uint8_t image[MOTOR_IMAGE_BYTES];

static int failed(const char *call, eig_status status) {
  printf("%s: %s\n", call, eig_strerror(status));
  return 1;
}

int main(void) {
  eig_settings settings = eig_settings_default();
  settings.training = TRAINING;
  eig_status status = motor_init(&monitor, &settings);
  if (status != EIG_OK) {
    printf("refused setting: %s\n", motor_bad_setting(&settings));
    return failed("init", status);
  }
  uint64_t digest = UINT64_C(0xcbf29ce484222325);
  int false_alarms = 0;
  int found = -1;
  for (int time = 0; time < END; time++) {
    float sample[MOTOR_CHANNELS];
    float parts[MOTOR_CHANNELS];
    eig_verdict verdict;
    read_sensors(time, sample);
    status = motor_observe(&monitor, sample, &verdict);
    if (status != EIG_OK) {
      return failed("observe", status);
    }
    status = motor_contribution(&monitor, parts);
    if (status != EIG_OK) {
      return failed("contribution", status);
    }
    digest = digest_of(digest, verdict.score);
    for (int channel = 0; channel < MOTOR_CHANNELS; channel++) {
      digest = digest_of(digest, parts[channel]);
    }
    if (verdict.alarm && time < FAULT) {
      false_alarms++;
    }
    if (verdict.alarm && time >= FAULT && found < 0) {
      found = time;
      printf("alarm %d samples after the fault, look at channel %d of %d\n", time - FAULT, (int)verdict.channel,
             MOTOR_CHANNELS);
      printf("percent of the score, by channel:");
      for (int channel = 0; channel < MOTOR_CHANNELS && verdict.score > 0.0f; channel++) {
        printf(" %d", (int)(100.0f * parts[channel] / verdict.score));
      }
      printf("\n");
    }
    /* In the middle of the watch: save, and go on with the restored monitor beside the first. */
    if (time == FAULT - 1) {
      status = motor_save(&monitor, image, sizeof image);
      if (status != EIG_OK) {
        return failed("save", status);
      }
      status = motor_init(&restored, &settings);
      if (status == EIG_OK) {
        status = motor_load(&restored, image, sizeof image, &settings);
      }
      if (status != EIG_OK) {
        return failed("load", status);
      }
    }
    if (time >= FAULT) {
      eig_verdict again;
      status = motor_observe(&restored, sample, &again);
      if (status != EIG_OK || again.score != verdict.score || again.alarm != verdict.alarm) {
        return failed("the restored monitor differs", status);
      }
    }
  }
  eig_health health;
  uint8_t conditions[MOTOR_CHANNELS];
  status = motor_health(&monitor, &health, conditions);
  if (status != EIG_OK) {
    return failed("health", status);
  }
  if (found < 0) {
    printf("no alarm: the fault of this program is too small for this monitor\n");
  }
  printf("%d false alarms before it, %lu of %lu watched samples in alarm\n", false_alarms,
         (unsigned long)health.alarm_samples, (unsigned long)health.watched);
  printf("the image of %lu bytes goes on with the same verdicts\n", (unsigned long)sizeof image);
  printf("digest %08lx%08lx\n", (unsigned long)(digest >> 32), (unsigned long)(digest & 0xffffffffu));
  return 0;
}
