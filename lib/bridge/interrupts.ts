/** A way to hear interrupts: `process`, or something that stands for it. */
export interface InterruptSource {
  /** Calls the listener when the signal comes. */
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  /** Does so no more. */
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

/** An interrupt that is watched. */
export interface Interrupts {
  /** Aborted at the first interrupt. */
  readonly signal: AbortSignal;
  /** Stops watching. */
  stop(): void;
}

const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Who watches a source, behind one listener: Node warns of a leak where there are more than ten, and hooks run at once. */
const watching = new WeakMap<
  InterruptSource,
  { readonly listener: () => void; readonly who: Set<AbortController> }
>();

/**
 * Watches for SIGINT, SIGTERM and SIGHUP. Without it a hook would not learn of them: an engine that is interrupted waits
 * for its hooks and applies the update if they succeed, and with `pulumi up` the program is killed five seconds later.
 *
 * More of them change nothing: ctrl-C in a terminal reaches the program twice, from the terminal and from the engine.
 */
export function watchInterrupts(source: InterruptSource = process): Interrupts {
  const controller = new AbortController();
  const { listener, who } = watching.get(source) ?? listen(source);
  who.add(controller);
  return {
    signal: controller.signal,
    stop: () => {
      if (who.delete(controller) && who.size === 0) {
        signals.forEach((signal) => source.off(signal, listener));
        watching.delete(source);
      }
    },
  };
}

function listen(source: InterruptSource): { listener: () => void; who: Set<AbortController> } {
  const who = new Set<AbortController>();
  const heard = { who, listener: () => who.forEach((each) => each.abort()) };
  signals.forEach((signal) => source.on(signal, heard.listener));
  watching.set(source, heard);
  return heard;
}
