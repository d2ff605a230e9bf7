import { EventEmitter } from 'node:events';
import { watchInterrupts } from '../../lib/bridge';

test.each(['SIGINT', 'SIGTERM'])('%s is heard, more than once, until nobody watches', (signal) => {
  const source = new EventEmitter();
  const interrupts = watchInterrupts(source);
  expect(interrupts.signal.aborted).toBe(false);
  source.emit(signal);
  source.emit(signal);
  expect(interrupts.signal.aborted).toBe(true);
  interrupts.stop();
  expect(source.listenerCount('SIGINT') + source.listenerCount('SIGTERM')).toBe(0);
});

test('nothing is heard after that', () => {
  const source = new EventEmitter();
  const interrupts = watchInterrupts(source);
  interrupts.stop();
  source.emit('SIGINT');
  expect(interrupts.signal.aborted).toBe(false);
});
