import { endOnInterrupt, ignoresHangUp, takeInterrupts } from '../../lib/cli/interrupts';

const exit = jest.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const before = new Map(signals.map((signal) => [signal, process.listeners(signal)]));

// The tests themselves may have been started by nohup.
beforeAll(() => delete process.env['_']);
beforeEach(() => exit.mockClear());
afterEach(() => {
  for (const signal of signals) {
    process.removeAllListeners(signal);
    before.get(signal)!.forEach((listener) => process.on(signal, listener));
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
  ['SIGHUP', 'SIGINT'],
  ['SIGHUP', 'SIGTERM'],
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
    process.emit('SIGINT');
    // They came together.
    expect(exit).not.toHaveBeenCalled();
    jest.advanceTimersByTime(600);
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

test.each(signals)(
  'after %s, SIGHUP is no second interrupt, also when interrupts are given back',
  (first) => {
    const interrupts = takeInterrupts(() => undefined);
    process.emit(first);
    process.emit('SIGHUP');
    process.emit('SIGHUP');
    expect([interrupts.signal.aborted, interrupts.kill.aborted]).toEqual([true, false]);
    interrupts.release();
    expect(process.listenerCount('SIGHUP')).toBe(first === 'SIGHUP' ? 1 : 0);
    expect(exit).not.toHaveBeenCalled();
  },
);

const mask = (digits: string) => `Name:\tnode\nSigIgn:\t${digits}\nSigCgt:\t0000000000000001\n`;

test.each<[string, boolean, string | undefined, Record<string, string>]>([
  ['a shell', false, '/usr/bin/cluster-canary', { self: mask('0000000001001000') }],
  ['nothing that says so, where there is no /proc', false, undefined, {}],
  ['nohup', true, '/usr/bin/nohup', {}],
  ['a program with a like name', false, '/usr/bin/nohup.sh', {}],
  ['a parent that ignores SIGHUP', true, '/usr/bin/node', { [process.ppid]: mask('0000000000000005') }],
  ['a parent that ignores SIGINT', false, '/usr/bin/node', { [process.ppid]: mask('0000000000000002') }],
  ['a Node.js that leaves it ignored', true, undefined, { self: mask('0000000001001001') }],
])('started by %s: SIGHUP is ignored: %s', (_by, expected, _, status) => {
  expect(ignoresHangUp(_ === undefined ? {} : { _ }, (of) => status[of] ?? '')).toBe(expected);
});
