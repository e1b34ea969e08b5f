/**
 * Loaded with `--import` before a program: its Date is off by SHIFTED_CLOCK_MS milliseconds; timers and
 * performance.now() go on as they are.
 */
const RealDate = Date
const shiftMs = Number(process.env.SHIFTED_CLOCK_MS)

class ShiftedDate extends RealDate {
  constructor(...args: readonly unknown[]) {
    super(...((args.length === 0 ? [ShiftedDate.now()] : args) as [number]))
  }
  static override now(): number {
    return RealDate.now() + shiftMs
  }
}

globalThis.Date = ShiftedDate as DateConstructor
