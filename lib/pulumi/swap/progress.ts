import type { EngineEvent, OpType, StepEventMetadata } from '@pulumi/pulumi/automation';
import { oneLine } from '../../core/printable-text';
import { masked } from '../../core/redaction';

/** Longest line that is told, in characters. */
const longest = 500;

/** As many errors of the engine are told again at the end. */
const mostErrors = 5;

const doing: Readonly<Partial<Record<OpType, readonly [now: string, done: string]>>> = {
  create: ['creating', 'created'],
  update: ['updating', 'updated'],
  delete: ['deleting', 'deleted'],
  replace: ['replacing', 'replaced'],
  'create-replacement': ['creating the replacement of', 'created the replacement of'],
  'delete-replaced': ['deleting the replaced', 'deleted the replaced'],
  read: ['reading', 'read'],
  import: ['importing', 'imported'],
};

/** Tells what the engine does, in lines for a person, and keeps its errors. */
export class EngineProgress {
  private last = '';
  private readonly failures: string[] = [];

  /** @param say takes one line at a time */
  public constructor(private readonly say: (line: string) => void) {}

  /** What the engine called an error, the first ones. */
  public get errors(): readonly string[] {
    return this.failures;
  }

  /** The next event. */
  public add({ diagnosticEvent, resourcePreEvent, resOutputsEvent, resOpFailedEvent }: EngineEvent): void {
    if (diagnosticEvent) {
      // The SDK tells each of its calls, which the type does not know.
      if ((diagnosticEvent.severity as string) === 'debug') {
        return;
      }
      const lines = linesOf(diagnosticEvent.message);
      lines.forEach((line) => this.tell(line));
      if (diagnosticEvent.severity === 'error') {
        this.failures.push(...lines.slice(0, Math.max(mostErrors - this.failures.length, 0)));
      }
    } else if (resOpFailedEvent) {
      this.tell(`failed: ${stepText(resOpFailedEvent.metadata, 0)}`);
    } else {
      const event = resourcePreEvent ?? resOutputsEvent;
      if (event?.planning !== true && event && doing[event.metadata.op]) {
        this.tell(stepText(event.metadata, event === resourcePreEvent ? 0 : 1));
      }
    }
  }

  /** A line of progress is told again and again while nothing has changed. */
  private tell(line: string): void {
    if (line !== this.last) {
      this.last = line;
      this.say(line);
    }
  }
}

function stepText({ op, type, urn }: StepEventMetadata, position: 0 | 1): string {
  const verb = doing[op]?.[position] ?? op;
  return safe(`${verb} ${type} ${urn.split('::').at(-1) ?? urn}`);
}

/** Without the engine's marks for colours. What a program writes may hold anything. */
function linesOf(message: string): readonly string[] {
  return message
    .slice(0, 100_000)
    .replace(/<\{%[^%]{0,50}%\}>/g, '')
    .split('\n')
    .map((line) => safe(line.trim()))
    .filter((line) => line !== '');
}

/** One line that may be shown: no secret, no control character, no command to the runner of a pipeline. */
export function safe(text: string): string {
  const line = oneLine(masked(text));
  return line.length > longest ? `${line.slice(0, longest - 3)}...` : line;
}
