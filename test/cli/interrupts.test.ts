import { endOnInterrupt, takeInterrupts } from '../../lib/cli/interrupts';

const exit = jest.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
const before = { SIGINT: process.listeners('SIGINT'), SIGTERM: process.listeners('SIGTERM') };

beforeEach(() => exit.mockClear());
afterEach(() => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.removeAllListeners(signal);
    before[signal].forEach((listener) => process.on(signal, listener));
  }
});
afterAll(() => exit.mockRestore());

test('SIGINT ends the process, until a command takes it over and again when it gives it back', () => {
  endOnInterrupt();
  process.emit('SIGINT');
  expect(exit.mock.calls).toEqual([[130]]);
  exit.mockClear();
  const interrupts = takeInterrupts(() => undefined);
  process.emit('SIGINT');
  expect(exit).not.toHaveBeenCalled();
  interrupts.release();
  process.emit('SIGINT');
  expect(exit.mock.calls).toEqual([[130]]);
});

test.each([
  ['SIGINT', 'SIGINT'],
  ['SIGTERM', 'SIGINT'],
  ['SIGTERM', 'SIGTERM'],
] as const)('%s asks, then %s ends it, and a third one does not wait', (first, second) => {
  jest.useFakeTimers();
  try {
    const said: string[] = [];
    const interrupts = takeInterrupts(() => said.push('interrupted'));
    const { signal, kill } = interrupts;
    expect([signal.aborted, kill.aborted]).toEqual([false, false]);
    process.emit(first);
    expect([signal.aborted, kill.aborted, said]).toEqual([true, false, ['interrupted']]);
    process.emit(second);
    expect([signal.aborted, kill.aborted, said]).toEqual([true, true, ['interrupted']]);
    expect(exit).not.toHaveBeenCalled();
    process.emit('SIGINT');
    expect(exit.mock.calls).toEqual([[130]]);
    interrupts.release();
  } finally {
    jest.useRealTimers();
  }
});

test('after the second, the process ends even if nothing else ends', () => {
  jest.useFakeTimers();
  try {
    const interrupts = takeInterrupts(() => undefined);
    process.emit('SIGINT');
    process.emit('SIGINT');
    jest.advanceTimersByTime(2_500);
    expect(exit.mock.calls).toEqual([[130]]);
    interrupts.release();
  } finally {
    jest.useRealTimers();
  }
});
