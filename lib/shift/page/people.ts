import { errorLine } from '../../core/validation/problems';
import type { Agreed, Resume, ShiftRequest, ShiftRequests } from '../engine';

/** How often another way to agree is asked while a person may agree here, in milliseconds. */
const everyMs = 1_000;

/** A pause at which a shift waits. */
interface Waiting {
  readonly place: number;
  readonly agree: (agreed: Agreed) => void;
}

/**
 * What people say of one shift of this process: on a page, by a link, from another machine. It is the `requests` and the
 * `resume` of a run.
 */
export class People implements ShiftRequests, Resume {
  /** The shift continues at once. */
  public readonly waits = true;
  private readonly listeners = new Set<(request: ShiftRequest) => void>();
  private waiting: Waiting | undefined;
  /** What is wrong with the other way, which was told already. */
  private told: string | undefined;

  /**
   * @param how how a person lets it continue, for the log
   * @param other another way, which counts as well. @default - none
   */
  public constructor(
    public readonly how: string,
    private readonly other?: Resume,
  ) {}

  /** Place of the pause at which the shift waits, in percent of the way. */
  public get waitsAt(): number | undefined {
    return this.waiting?.place;
  }

  /** See {@link ShiftRequests}. */
  public subscribe(listener: (request: ShiftRequest) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Passes on what a person asks.
   *
   * @returns whether a shift hears of it
   */
  public ask(request: ShiftRequest): boolean {
    this.listeners.forEach((listener) => listener(request));
    return this.listeners.size > 0;
  }

  /**
   * Lets the shift continue beyond a pause.
   *
   * @returns whether it waits there
   */
  public letContinue(place: number, by: string): boolean {
    if (this.waiting?.place !== place) {
      return false;
    }
    this.waiting.agree({ by });
    return true;
  }

  /**
   * See {@link Resume}. What is wrong with the other way is thrown once: as long as it is the same, people can agree here.
   */
  public resumed(place: number, signal?: AbortSignal): Promise<boolean | Agreed> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearInterval(timer);
        signal?.removeEventListener('abort', drop);
        this.waiting = this.waiting === waiting ? undefined : this.waiting;
      };
      const agree = (agreed: boolean | Agreed): void => {
        end();
        resolve(agreed);
      };
      const drop = (): void => agree(false);
      const waiting = { place, agree };
      this.waiting = waiting;
      const askOther = (): void => {
        this.other?.resumed(place, signal).then(
          (said) => {
            this.told = undefined;
            if (said !== false) {
              agree(said);
            }
          },
          (error: Error) => {
            const line = errorLine(error);
            if (line !== this.told && this.waiting === waiting) {
              this.told = line;
              end();
              reject(error);
            }
          },
        );
      };
      const timer = this.other && setInterval(askOther, everyMs);
      signal?.addEventListener('abort', drop);
      askOther();
      if (signal?.aborted) {
        drop();
      }
    });
  }
}
