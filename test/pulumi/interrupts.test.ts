import { EventEmitter } from 'node:events';
import { watchInterrupts } from '../../lib/pulumi/hooks';

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('%s is heard, more than once, until nobody watches', (signal) => {
  const source = new EventEmitter();
  const interrupts = watchInterrupts(source);
  expect(interrupts.signal.aborted).toBe(false);
  source.emit(signal);
  source.emit(signal);
  expect(interrupts.signal.aborted).toBe(true);
  interrupts.stop();
  expect(source.listenerCount('SIGINT') + source.listenerCount('SIGTERM')).toBe(0);
});

test('many who watch at once are one listener, and each stops for itself', () => {
  const source = new EventEmitter();
  const all = Array.from({ length: 20 }, () => watchInterrupts(source));
  expect(source.listenerCount('SIGINT')).toBe(1);
  all[0]!.stop();
  all[0]!.stop();
  source.emit('SIGTERM');
  expect(all.map(({ signal }) => signal.aborted)).toEqual([false, ...Array<boolean>(19).fill(true)]);
  all.forEach((each) => each.stop());
  expect(source.listenerCount('SIGINT') + source.listenerCount('SIGTERM')).toBe(0);
  const late = watchInterrupts(source);
  source.emit('SIGINT');
  expect(late.signal.aborted).toBe(true);
  late.stop();
});

test('nothing is heard after that', () => {
  const source = new EventEmitter();
  const interrupts = watchInterrupts(source);
  interrupts.stop();
  source.emit('SIGINT');
  expect(interrupts.signal.aborted).toBe(false);
});
