/* eigenstream for C and C++: a monitor that learns what is normal and says when it is not.
 *
 *   #include "motor.h"                        // written by `cargo harness c`, or by hand: EIG_DECLARE_MONITOR(motor, 6, 1504)
 *
 *   static motor_t monitor;                   // the storage is yours: static, on the stack or from a pool
 *   eig_settings settings = eig_settings_default();
 *   motor_init(&monitor, &settings);
 *   ...
 *   eig_verdict verdict;
 *   if (motor_observe(&monitor, sample, &verdict) == EIG_OK && verdict.alarm) { ... verdict.channel ... }
 *
 * Every function returns an eig_status. A call that is refused changes nothing. No function allocates, blocks or panics. One
 * thread at a time may use a monitor; an interrupt handler that shares one must be kept out during a call.
 * A monitor holds no pointers: its storage may be copied and moved by memcpy.
 */
#ifndef EIGENSTREAM_H
#define EIGENSTREAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result of a call. */
typedef enum eig_status {
  EIG_OK = 0,
  EIG_NULL_POINTER = 1,
  EIG_MISALIGNED = 2,
  EIG_NOT_INITIALISED = 3,     /* no monitor in the storage, or bytes around it were overwritten */
  EIG_SETTINGS_SIZE = 4,       /* the settings are those of another version of this header */
  EIG_BAD_SETTING = 5,
  EIG_NOT_A_NUMBER = 6,        /* verdict.channel says which channel */
  EIG_TOO_LARGE = 7,           /* verdict.channel says which channel */
  EIG_SHORT_BUFFER = 8,
  EIG_BAD_IMAGE = 9,           /* no image, or a damaged one */
  EIG_OTHER_IMAGE = 10,        /* of another learner, size or version */
  EIG_NOTHING_TO_ACKNOWLEDGE = 11
} eig_status;

/* The sentence of a status. */
const char *eig_strerror(eig_status status);

/* The values of verdict.phase. */
enum eig_phase {
  EIG_WARMUP = 0,              /* learns scale and shape */
  EIG_STANDSTILL = 1,          /* no channel has moved yet */
  EIG_CALIBRATING = 2,         /* learns the scores of normal samples */
  EIG_UNSETTLED = 3,           /* the last calibration was of no use: calibrates again */
  EIG_WATCHING = 4,            /* watches, and learns slowly */
  EIG_FROZEN = 5               /* watches, and learns nothing */
};

/* The values of verdict.state. */
enum eig_state {
  EIG_LEARNING = 0,            /* not judged yet */
  EIG_NORMAL = 1,              /* as it was learned */
  EIG_SECOND_NORMAL = 2,       /* as in a new level that was accepted */
  EIG_UNUSUAL = 3,             /* unusual, and not long enough to say more */
  EIG_MOVING = 4,              /* unusual for long, and a channel still moves: a fault that grows */
  EIG_STEADY = 5,              /* unusual for long, at a level that stands still */
  EIG_STUCK = 6                /* a sensor has stopped: its value does not change any more */
};

/* The condition of a channel. */
enum eig_channel {
  EIG_CHANNEL_GOOD = 0,        /* it moved while it was learned, and it moves now */
  EIG_CHANNEL_UNKNOWN = 1,     /* it stood still while the scale was found */
  EIG_CHANNEL_STUCK = 2,       /* its value has stopped changing */
  EIG_CHANNEL_MISSING = 3,     /* it has no value now */
  EIG_CHANNEL_QUANTISED = 4    /* its spread is less than two steps of its converter */
};

#define EIG_NO_CHANNEL 255     /* verdict.stuck, where no sensor has stopped */

/* The verdict on one sample. */
typedef struct eig_verdict {
  float score;                 /* how unusual the stream is, smoothed */
  float threshold;             /* where unusual begins; FLT_MAX as long as that is not known */
  float moved;                 /* spreads by which the level of the channel that moved most has moved */
  uint16_t channel;            /* the channel to look at; of a refused sample, the channel at fault */
  uint8_t alarm;               /* 1 or 0 */
  uint8_t phase;               /* enum eig_phase */
  uint8_t state;               /* enum eig_state */
  uint8_t stuck;               /* the first sensor that has stopped, or EIG_NO_CHANNEL */
} eig_verdict;

/* How far a verdict can be trusted. */
typedef struct eig_health {
  float usual_score;           /* the median score of calibration */
  uint32_t watched;            /* samples judged since the threshold was found */
  uint32_t alarm_samples;      /* how many of them were in alarm */
  uint32_t alarms;             /* alarms raised */
  uint32_t locked_out;         /* samples since the last one that was normal */
} eig_health;

/* settings.learning */
enum eig_learning { EIG_LEARN_WHILE_NORMAL = 0, EIG_LEARN_ALWAYS = 1, EIG_LEARN_NOTHING = 2 };
/* settings.missing */
enum eig_missing { EIG_MISSING_REFUSE = 0, EIG_MISSING_IMPUTE = 1 };
/* settings.new_level */
enum eig_new_level { EIG_NEW_LEVEL_ACCEPT = 0, EIG_NEW_LEVEL_ASK = 1, EIG_NEW_LEVEL_NEVER = 2 };

/* Begin with eig_settings_default(), and change fields. */
typedef struct eig_settings {
  uint32_t size;               /* sizeof(eig_settings) */
  uint32_t training;           /* samples until the monitor watches */
  uint32_t level_memory;       /* samples over which a level follows; 0: a tenth of the training, at least 300 */
  uint32_t input_smoothing;    /* samples are averaged over so many; 1: not */
  uint32_t smoothing;          /* scores are averaged over so many; 1: not */
  uint32_t confirm;            /* samples above the threshold in a row until the alarm is raised */
  uint32_t hold_off;           /* samples after a release in which no alarm is raised */
  float false_alarms;          /* the wanted part of false alarms */
  float threshold_factor;      /* a factor on the threshold */
  float fixed_threshold;       /* a threshold that is known beforehand; 0: found by calibration */
  float release;               /* an alarm is released at this part of the threshold, at most 1 */
  uint32_t learning;           /* enum eig_learning */
  uint32_t missing;            /* enum eig_missing: the meaning of NaN in a sample */
  uint32_t new_level;          /* enum eig_new_level: the answer to a steady new level ... */
  uint32_t new_level_samples;  /* ... after so many samples of alarm */
  float learning_rate;         /* of the learners tracking, centered, gha and kernel; 0: their default */
  float gamma;                 /* of the Gaussian kernel; 0: its default */
} eig_settings;

static inline eig_settings eig_settings_default(void) {
  eig_settings settings;
  settings.size = (uint32_t)sizeof(eig_settings);
  settings.training = 2048u;
  settings.level_memory = 0u;
  settings.input_smoothing = 3u;
  settings.smoothing = 5u;
  settings.confirm = 1u;
  settings.hold_off = 0u;
  settings.false_alarms = 1e-7f;
  settings.threshold_factor = 1.0f;
  settings.fixed_threshold = 0.0f;
  settings.release = 1.0f;
  settings.learning = EIG_LEARN_WHILE_NORMAL;
  settings.missing = EIG_MISSING_REFUSE;
  settings.new_level = EIG_NEW_LEVEL_ACCEPT;
  settings.new_level_samples = 2000u;
  settings.learning_rate = 0.0f;
  settings.gamma = 0.0f;
  return settings;
}

/* The length of an array parameter, as a promise that C compilers check. C++ has no such promise. */
#ifdef __cplusplus
#define EIG_AT_LEAST(count) count
#else
#define EIG_AT_LEAST(count) static count
#endif

/* Declares the monitor `name` of `channels` channels in `bytes` bytes of storage:
 *
 *   name_t                                              the storage, zeroed or not before name_init
 *   name_init(name_t *, const eig_settings *)           a monitor that has seen nothing
 *   name_observe(name_t *, sample, eig_verdict *)       judges a sample, then learns from it
 *   name_observe_i16, name_observe_u16                  the counts of a converter in place of numbers
 *   name_score(const name_t *, sample, float *)         the score of a sample; changes nothing
 *   name_phase(const name_t *, uint8_t *)               enum eig_phase
 *   name_health(const name_t *, eig_health *, channels) and one enum eig_channel a channel
 *   name_acknowledge(name_t *)                          makes the steady state of a lasting alarm normal
 *   name_interrupt(name_t *)                            samples were dropped
 *   name_recalibrate(name_t *)                          a new threshold for the samples that follow
 *   name_image_bytes()                                  bytes of an image
 *   name_save(const name_t *, uint8_t *, size_t)        writes an image
 *   name_load(name_t *, uint8_t *, size_t, const eig_settings *)
 *                                                       after name_init: puts the monitor of an image in the place of the one in
 *                                                       the storage, and that one into the image. The settings are those of the
 *                                                       program, or of the image where the pointer is NULL
 *
 * Channels and bytes are part of the names in the archive: a header that does not fit does not link.
 */
#define EIG_DECLARE_MONITOR(name, channels, bytes)                                                                    \
  typedef struct name##_t {                                                                                           \
    uint64_t opaque[(bytes) / 8];                                                                                     \
  } name##_t;                                                                                                         \
  eig_status name##_init_##channels##_##bytes(name##_t *monitor, const eig_settings *settings);                       \
  eig_status name##_observe_##channels##_##bytes(name##_t *monitor, const float sample[EIG_AT_LEAST(channels)],       \
                                                 eig_verdict *verdict);                                               \
  eig_status name##_observe_i16_##channels##_##bytes(name##_t *monitor,                                               \
                                                     const int16_t sample[EIG_AT_LEAST(channels)],                    \
                                                     eig_verdict *verdict);                                           \
  eig_status name##_observe_u16_##channels##_##bytes(name##_t *monitor,                                               \
                                                     const uint16_t sample[EIG_AT_LEAST(channels)],                   \
                                                     eig_verdict *verdict);                                           \
  eig_status name##_score_##channels##_##bytes(const name##_t *monitor, const float sample[EIG_AT_LEAST(channels)],   \
                                               float *score);                                                         \
  eig_status name##_phase_##channels##_##bytes(const name##_t *monitor, uint8_t *phase);                              \
  eig_status name##_health_##channels##_##bytes(const name##_t *monitor, eig_health *health,                          \
                                                uint8_t conditions[EIG_AT_LEAST(channels)]);                          \
  eig_status name##_acknowledge_##channels##_##bytes(name##_t *monitor);                                              \
  eig_status name##_interrupt_##channels##_##bytes(name##_t *monitor);                                                \
  eig_status name##_recalibrate_##channels##_##bytes(name##_t *monitor);                                              \
  size_t name##_image_bytes_##channels##_##bytes(void);                                                               \
  eig_status name##_save_##channels##_##bytes(const name##_t *monitor, uint8_t *image, size_t length);                \
  eig_status name##_load_##channels##_##bytes(name##_t *monitor, uint8_t *image, size_t length,                       \
                                              const eig_settings *settings);                                          \
  static inline eig_status name##_init(name##_t *monitor, const eig_settings *settings) {                             \
    return name##_init_##channels##_##bytes(monitor, settings);                                                       \
  }                                                                                                                   \
  static inline eig_status name##_observe(name##_t *monitor, const float sample[EIG_AT_LEAST(channels)],              \
                                          eig_verdict *verdict) {                                                     \
    return name##_observe_##channels##_##bytes(monitor, sample, verdict);                                             \
  }                                                                                                                   \
  static inline eig_status name##_observe_i16(name##_t *monitor, const int16_t sample[EIG_AT_LEAST(channels)],        \
                                              eig_verdict *verdict) {                                                 \
    return name##_observe_i16_##channels##_##bytes(monitor, sample, verdict);                                         \
  }                                                                                                                   \
  static inline eig_status name##_observe_u16(name##_t *monitor, const uint16_t sample[EIG_AT_LEAST(channels)],       \
                                              eig_verdict *verdict) {                                                 \
    return name##_observe_u16_##channels##_##bytes(monitor, sample, verdict);                                         \
  }                                                                                                                   \
  static inline eig_status name##_score(const name##_t *monitor, const float sample[EIG_AT_LEAST(channels)],          \
                                        float *score) {                                                               \
    return name##_score_##channels##_##bytes(monitor, sample, score);                                                 \
  }                                                                                                                   \
  static inline eig_status name##_phase(const name##_t *monitor, uint8_t *phase) {                                    \
    return name##_phase_##channels##_##bytes(monitor, phase);                                                         \
  }                                                                                                                   \
  static inline eig_status name##_health(const name##_t *monitor, eig_health *health,                                 \
                                         uint8_t conditions[EIG_AT_LEAST(channels)]) {                                \
    return name##_health_##channels##_##bytes(monitor, health, conditions);                                           \
  }                                                                                                                   \
  static inline eig_status name##_acknowledge(name##_t *monitor) {                                                    \
    return name##_acknowledge_##channels##_##bytes(monitor);                                                          \
  }                                                                                                                   \
  static inline eig_status name##_interrupt(name##_t *monitor) {                                                      \
    return name##_interrupt_##channels##_##bytes(monitor);                                                            \
  }                                                                                                                   \
  static inline eig_status name##_recalibrate(name##_t *monitor) {                                                    \
    return name##_recalibrate_##channels##_##bytes(monitor);                                                          \
  }                                                                                                                   \
  static inline size_t name##_image_bytes(void) { return name##_image_bytes_##channels##_##bytes(); }                 \
  static inline eig_status name##_save(const name##_t *monitor, uint8_t *image, size_t length) {                      \
    return name##_save_##channels##_##bytes(monitor, image, length);                                                  \
  }                                                                                                                   \
  static inline eig_status name##_load(name##_t *monitor, uint8_t *image, size_t length,                              \
                                       const eig_settings *settings) {                                                \
    return name##_load_##channels##_##bytes(monitor, image, length, settings);                                        \
  }

#ifdef __cplusplus
}
#endif

#endif
