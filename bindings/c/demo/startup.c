/* The start of a Cortex-M in QEMU, where no startup code of a vendor is there: a vector table and the sections of C. */
#include <stdint.h>

/* An address of the linker script, declared as a function so that it fits into the table. */
extern void __stack_top(void);
extern uint32_t __data_load, __data_start, __data_end, __bss_start, __bss_end;
extern int main(void);
extern void initialise_monitor_handles(void);
extern void exit(int);

void reset(void);
void fault(void);

void reset(void) {
  const uint32_t *from = &__data_load;
  for (uint32_t *to = &__data_start; to < &__data_end;) {
    *to++ = *from++;
  }
  for (uint32_t *to = &__bss_start; to < &__bss_end;) {
    *to++ = 0;
  }
#if defined(__ARM_FP)
  /* Both halves of the floating-point unit on. */
  *(volatile uint32_t *)0xE000ED88u |= 0xFu << 20;
  __asm volatile("dsb\n isb");
#endif
  initialise_monitor_handles();
  exit(main());
}

void fault(void) {
  exit(3);
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    __stack_top, reset, fault, fault, fault, fault, fault, 0, 0, 0, 0, fault, fault, 0, fault, fault,
};
