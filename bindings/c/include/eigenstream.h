/* eigenstream for C and C++: a monitor that learns the normal state of a machine and reports samples that are not normal.
 *
 * `cargo harness c` writes motor.h; by hand it is EIG_DECLARE_MONITOR(motor, 6, 1376). The storage is yours: static, on the
 * stack or from a pool; aligned to 8 bytes.
 *
 *   #include "motor.h"
 *
 *   static motor_t monitor;
 *   eig_settings settings = eig_settings_default();
 *   motor_init(&monitor, &settings);
 *   ...
 *   eig_verdict verdict;
 *   if (motor_observe(&monitor, sample, &verdict) == EIG_OK && verdict.alarm) { ... verdict.channel ... }
 *
 * The functions of a monitor return an eig_status, except motor_image_bytes and motor_bad_setting. A call that is refused changes
 * neither monitor nor image, and writes no result, with one exception: for a refused sample, a verdict that names the channel is
 * written. No function allocates, blocks or panics. No function keeps a pointer after its return. Only one thread at a time may
 * use a monitor. If an interrupt handler uses the monitor too, disable the interrupt during a call. Different monitors are
 * independent. A monitor contains no pointers: its storage may be copied and moved by memcpy.
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
  EIG_MISALIGNED = 2,          /* a pointer is not aligned for its type */
  EIG_NOT_INITIALISED = 3,     /* no monitor in the storage, or bytes around the monitor were overwritten */
  EIG_SETTINGS_SIZE = 4,       /* the settings belong to another version of this header */
  EIG_BAD_SETTING = 5,         /* a setting is out of its range: name_bad_setting names it; see also name_load */
  EIG_NOT_A_NUMBER = 6,        /* NaN or infinite; verdict.channel says which channel */
  EIG_TOO_LARGE = 7,           /* verdict.channel says which channel */
  EIG_SHORT_BUFFER = 8,        /* of name_save: the buffer is shorter than an image */
  EIG_BAD_IMAGE = 9,           /* the bytes are not an image, or the image is damaged or cut short */
  EIG_OTHER_IMAGE = 10,        /* the image has another learner, size or version, or its first bytes are damaged */
  EIG_NOTHING_TO_ACKNOWLEDGE = 11 /* fewer than 16 samples of alarm */
} eig_status;

/* The version of this header, for a log. */
#define EIG_VERSION "0.1.0"

/* Returns a sentence that explains a status. The text is constant, here and in the functions below. */
const char *eig_strerror(eig_status status);

/* The values of verdict.phase. */
enum eig_phase {
  EIG_WARMUP = 0,              /* learns the scale of the channels, then trains the learner */
  EIG_STANDSTILL = 1,          /* no channel has moved yet */
  EIG_CALIBRATING = 2,         /* learns the scores of normal samples */
  EIG_UNSETTLED = 3,           /* the last calibration could not be used: calibrates again */
  EIG_WATCHING = 4,            /* watches and learns slowly */
  EIG_FROZEN = 5               /* watches and does not learn */
};

/* The values of verdict.state. */
enum eig_state {
  EIG_LEARNING = 0,            /* not judged yet */
  EIG_NORMAL = 1,              /* as in the training */
  EIG_SECOND_NORMAL = 2,       /* at a new level that was accepted as normal */
  EIG_UNUSUAL = 3,             /* unusual, but not yet long enough for MOVING or STEADY */
  EIG_MOVING = 4,              /* unusual for a long time, and a channel still moves: a growing fault */
  EIG_STEADY = 5,              /* unusual for a long time, at a constant level */
  EIG_STUCK = 6                /* the value of a sensor has stopped changing */
};

/* The condition of a channel. */
enum eig_channel {
  EIG_CHANNEL_GOOD = 0,        /* the channel moved during the training, and it moves now */
  EIG_CHANNEL_UNKNOWN = 1,     /* the channel did not move while its scale was learned */
  EIG_CHANNEL_STUCK = 2,       /* the value has stopped changing */
  EIG_CHANNEL_MISSING = 3,     /* the channel has no value now */
  EIG_CHANNEL_QUANTISED = 4    /* the spread is less than two steps of the converter */
};

/* The names of these values for a log, for example "second normal" for EIG_SECOND_NORMAL. */
const char *eig_phase_name(uint8_t phase);
const char *eig_state_name(uint8_t state);
const char *eig_channel_name(uint8_t condition);

#define EIG_NO_CHANNEL 255     /* verdict.stuck if no sensor has stopped changing */

/* The verdict on one sample. A refused sample (EIG_NOT_A_NUMBER, EIG_TOO_LARGE) is not judged: its verdict has the channel that
 * caused the refusal, the threshold and the phase of the monitor, the state EIG_LEARNING, EIG_NO_CHANNEL in stuck, and 0 in
 * score, moved and alarm. An alarm of the monitor is not over then. */
typedef struct eig_verdict {
  float score;                 /* how unusual the stream is; smoothed */
  float threshold;             /* a score above this value is unusual; FLT_MAX until the threshold is computed */
  float moved;                 /* how far the level of a channel has moved, in spreads: the maximum over the channels */
  uint16_t channel;            /* the channel to look at, counted from 0; for a refused sample, the cause of the refusal */
  uint8_t alarm;               /* 1 or 0 */
  uint8_t phase;               /* enum eig_phase */
  uint8_t state;               /* enum eig_state */
  uint8_t stuck;               /* the first sensor that has stopped changing, or EIG_NO_CHANNEL */
} eig_verdict;

/* How far a verdict can be trusted. */
typedef struct eig_health {
  float usual_score;           /* the median score of the calibration */
  uint32_t watched;            /* samples judged since the threshold was computed */
  uint32_t alarm_samples;      /* the number of these samples that were in alarm */
  uint32_t alarms;             /* the number of alarms raised */
  uint32_t locked_out;         /* the number of samples in alarm since the last sample without alarm */
} eig_health;

/* The values of settings.learning: the samples that the monitor learns from while it watches. */
enum eig_learning {
  EIG_LEARN_WHILE_NORMAL = 0,  /* samples that are near enough to normal: slow drift becomes normal */
  EIG_LEARN_ALWAYS = 1,        /* every sample: a fault that lasts becomes normal, too */
  EIG_LEARN_NOTHING = 2        /* no sample after the warm-up; the phase is EIG_FROZEN */
};

/* The values of settings.missing: the meaning of NaN in a sample of floats. */
enum eig_missing {
  EIG_MISSING_REFUSE = 0,      /* the sample is refused: EIG_NOT_A_NUMBER */
  EIG_MISSING_IMPUTE = 1       /* the channel has no value, and the learner fills it in; a sample of NaN alone is refused */
};

/* The values of settings.new_level: the reaction to an alarm that is steady at a new level for new_level_samples samples. */
enum eig_new_level {
  EIG_NEW_LEVEL_ACCEPT = 0,    /* the level becomes normal, in addition to the learned level: the alarm ends */
  EIG_NEW_LEVEL_ASK = 1,       /* the state is EIG_STEADY, and the alarm lasts until name_acknowledge makes the level normal */
  EIG_NEW_LEVEL_NEVER = 2      /* as EIG_NEW_LEVEL_ASK, but always after 2000 samples */
};

/* Start with eig_settings_default() and change fields. A number outside of the range that is stated here is EIG_BAD_SETTING.
 * Counts without a range may have any value. So may a field that the monitor does not use: false_alarms beside a fixed threshold,
 * and learning_rate or gamma if the learner has none. */
typedef struct eig_settings {
  uint32_t size;               /* sizeof(eig_settings) */
  uint32_t training;           /* samples before the monitor watches; fewer than 27 count as 27, more than 2^31 as 2^31 */
  uint32_t level_memory;       /* samples over which a level follows the data; 0: a tenth of the training, at least 300 */
  uint32_t input_smoothing;    /* samples are averaged over this number of samples; 0 and 1: no smoothing */
  uint32_t smoothing;          /* scores are averaged over this number of samples; 0 and 1: no smoothing */
  uint32_t confirm;            /* the alarm is raised after this number of consecutive samples above the threshold; 0 is 1 */
  uint32_t hold_off;           /* samples after a release in which no alarm is raised */
  float false_alarms;          /* the requested part of false alarms; above 0 and below 1 */
  float threshold_factor;      /* a factor on the threshold that calibration computes; 0 or more, finite */
  float fixed_threshold;       /* a fixed threshold, above 0 and finite; 0: calibration computes the threshold */
  float release;               /* an alarm is released at this part of the threshold; above 0, at most 1 */
  uint32_t learning;           /* enum eig_learning */
  uint32_t missing;            /* enum eig_missing: the treatment of NaN in a sample */
  uint32_t new_level;          /* enum eig_new_level: the reaction to a steady new level */
  uint32_t new_level_samples;  /* the number of alarm samples before this reaction; fewer than 16 count as 16 */
  float learning_rate;         /* of the learners tracking, centered, hebbian and kernel; above 0 and finite; 0: their default */
  float gamma;                 /* of the Gaussian kernel; above 1e-38 and finite; 0: 1/(256 * channels) */
} eig_settings;

static inline eig_settings eig_settings_default(void) {
  eig_settings settings;
  settings.size = sizeof(eig_settings);
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

/* The minimum length of an array parameter, which C compilers check. C++ has no syntax for it. */
#ifdef __cplusplus
#define EIG_AT_LEAST(count) count
#else
#define EIG_AT_LEAST(count) static count
#endif

/* Declares the monitor `name` of `channels` channels in `bytes` bytes of storage, which are the monitor and a magic word before
 * and after it:
 *
 *   name_t                                              the storage; any content before name_init
 *   name_init(name_t *, const eig_settings *)           makes a new monitor in the storage; again: forgets the old monitor
 *   name_bad_setting(const eig_settings *)              returns the name of the field that name_init refuses, for example
 *                                                       "release"; "none" if name_init refuses no field
 *   name_observe(name_t *, sample, eig_verdict *)       judges a sample, then learns from it
 *   name_observe_i16, name_observe_u16                  as name_observe, with the counts of a converter
 *   name_contribution(const name_t *, parts)            writes the part of each channel in the last verdict.score; a refused
 *                                                       sample has none. No part is negative; their sum is the score
 *   name_score(const name_t *, sample, float *)         writes the score of a sample alone; changes nothing. verdict.score is an
 *                                                       average, so the threshold does not fit this score. NaN is refused
 *   name_phase(const name_t *, uint8_t *)               writes the phase, an enum eig_phase
 *   name_health(const name_t *, eig_health *, channels) writes the health, and an enum eig_channel for each channel
 *   name_acknowledge(name_t *)                          accepts the level of the current alarm as normal, after at least 16
 *                                                       samples of alarm. Call it when verdict.state is EIG_STEADY
 *   name_interrupt(name_t *)                            tells the learner that samples were dropped. No learner of today's
 *                                                       archives uses this
 *   name_recalibrate(name_t *)                          starts a new calibration of the threshold
 *   name_image_bytes()                                  returns the bytes of an image
 *   name_save(name_t *, uint8_t *, size_t)              writes an image to a buffer of this many bytes
 *   name_load(name_t *, uint8_t *, size_t, const eig_settings *)
 *                                                       after name_init: exchanges the monitor in the storage with the
 *                                                       monitor in the image. The settings are those of the program, or
 *                                                       those of the image if the pointer is NULL. learning_rate and gamma
 *                                                       are always those of the image. Another smoothing or input_smoothing
 *                                                       than that of the image starts a new calibration. EIG_BAD_SETTING also
 *                                                       if a Rust program chose the score of the image: pass NULL then
 *
 * The names in the archive contain channels and bytes: a program with a header that does not match does not link.
 */
#define EIG_DECLARE_MONITOR(name, channels, bytes)                                                                    \
  typedef struct name##_t {                                                                                           \
    uint64_t opaque[(bytes) / 8];                                                                                     \
  } name##_t;                                                                                                         \
  eig_status name##_init_##channels##_##bytes(name##_t *monitor, const eig_settings *settings);                       \
  const char *name##_bad_setting_##channels##_##bytes(const eig_settings *settings);                                  \
  eig_status name##_observe_##channels##_##bytes(name##_t *monitor, const float sample[EIG_AT_LEAST(channels)],       \
                                                 eig_verdict *verdict);                                               \
  eig_status name##_observe_i16_##channels##_##bytes(name##_t *monitor,                                               \
                                                     const int16_t sample[EIG_AT_LEAST(channels)],                    \
                                                     eig_verdict *verdict);                                           \
  eig_status name##_observe_u16_##channels##_##bytes(name##_t *monitor,                                               \
                                                     const uint16_t sample[EIG_AT_LEAST(channels)],                   \
                                                     eig_verdict *verdict);                                           \
  eig_status name##_contribution_##channels##_##bytes(const name##_t *monitor, float parts[EIG_AT_LEAST(channels)]);  \
  eig_status name##_score_##channels##_##bytes(const name##_t *monitor, const float sample[EIG_AT_LEAST(channels)],   \
                                               float *score);                                                         \
  eig_status name##_phase_##channels##_##bytes(const name##_t *monitor, uint8_t *phase);                              \
  eig_status name##_health_##channels##_##bytes(const name##_t *monitor, eig_health *health,                          \
                                                uint8_t conditions[EIG_AT_LEAST(channels)]);                          \
  eig_status name##_acknowledge_##channels##_##bytes(name##_t *monitor);                                              \
  eig_status name##_interrupt_##channels##_##bytes(name##_t *monitor);                                                \
  eig_status name##_recalibrate_##channels##_##bytes(name##_t *monitor);                                              \
  size_t name##_image_bytes_##channels##_##bytes(void);                                                               \
  eig_status name##_save_##channels##_##bytes(name##_t *monitor, uint8_t *image, size_t length);                      \
  eig_status name##_load_##channels##_##bytes(name##_t *monitor, uint8_t *image, size_t length,                       \
                                              const eig_settings *settings);                                          \
  static inline eig_status name##_init(name##_t *monitor, const eig_settings *settings) {                             \
    return name##_init_##channels##_##bytes(monitor, settings);                                                       \
  }                                                                                                                   \
  static inline const char *name##_bad_setting(const eig_settings *settings) {                                        \
    return name##_bad_setting_##channels##_##bytes(settings);                                                         \
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
  static inline eig_status name##_contribution(const name##_t *monitor, float parts[EIG_AT_LEAST(channels)]) {        \
    return name##_contribution_##channels##_##bytes(monitor, parts);                                                  \
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
  static inline eig_status name##_save(name##_t *monitor, uint8_t *image, size_t length) {                            \
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
