import { within } from '../../core/async';
import type { Clock } from '../../core/async';
import { errorLine } from '../../core/validation/problems';
import { isDue } from './due';
import { deleteHasBegun } from './machine/back';
import type { SwapRecord } from './record';
import type { BackRequests } from './swap-run';

/** How often it is looked for: a person who wants traffic back waits for it, and a call costs next to nothing. */
const everyMs = 10_000;

const timeoutMs = 10_000;

/** What a watch needs. */
export interface BackWatchSettings {
  /** @default - no request is read */
  readonly askedBack?: BackRequests;
  readonly clock: Clock;
  /** The record of the swap as it is now, or is being written. */
  readonly record: () => SwapRecord | undefined;
  /** Hears of it: what is under way is to end. */
  readonly onFound: () => void;
  readonly say: (line: string) => void;
}

type Found = Awaited<ReturnType<BackRequests>>;

/** Looks whether a person wants the swap to go back, beside what the swap does. */
export class BackWatch {
  private found: Found;
  /** The swap whose request was taken: its record says so only after a look at the fleet, which may take long. */
  private takenOf: string | undefined;
  private lookedAt = -Infinity;
  private looking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private hasFailed = false;

  public constructor(private readonly settings: BackWatchSettings) {}

  /** Begins to look, by this machine's timers: calls beside it may take hours. */
  public begin(): void {
    this.timer = setInterval(() => void this.look(), everyMs);
    this.timer.unref();
  }

  public stop(): void {
    clearInterval(this.timer);
  }

  /** Looks, where that is due. */
  public async lookIfDue(): Promise<void> {
    if (isDue(this.settings.clock.now(), this.lookedAt, everyMs)) {
      await this.look();
    }
  }

  public get isFound(): boolean {
    return this.found !== undefined;
  }

  /** What was found, once. */
  public take(): Found {
    const { found } = this;
    this.found = undefined;
    if (found) {
      this.takenOf = this.settings.record()?.id;
    }
    return found;
  }

  /** One look at a time. */
  private look(): Promise<void> {
    this.looking ??= this.lookNow().finally(() => (this.looking = undefined));
    return this.looking;
  }

  private async lookNow(): Promise<void> {
    const { askedBack, clock, onFound, say } = this.settings;
    const record = this.mayGoBack();
    if (askedBack === undefined || record === undefined) {
      return;
    }
    this.lookedAt = clock.now();
    try {
      const found = await within(timeoutMs, undefined, (signal) => askedBack(record.id, signal));
      // Meanwhile its delete may have begun.
      if (found && this.mayGoBack()?.id === record.id) {
        this.found = found;
        onFound();
      }
    } catch (error) {
      if (!this.hasFailed) {
        this.hasFailed = true;
        say(`Whether a rollback was requested elsewhere could not be read: ${errorLine(error)}`);
      }
    }
  }

  /** The record of a swap that is open and has a way back that it does not go yet. */
  private mayGoBack(): SwapRecord | undefined {
    const record = this.settings.record();
    const isForward =
      record && record.id !== this.takenOf && !record.ended && !record.back && !deleteHasBegun(record);
    return isForward && this.found === undefined ? record : undefined;
  }
}
