import { createHash } from 'node:crypto';
import type { Attributes, Context, HrTime, Span, Tracer } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { FleetEvent } from './event';
import { nextTrace, noTrace } from './trace';
import type { TraceCall, TraceSpan, TraceState } from './trace';

/** OpenTelemetry's packages, which take a third of a second to load: only who sends traces loads them. */
async function packages() {
  const [api, resources, sdk, transformer] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/otlp-transformer'),
  ]);
  return { ...api, ...resources, ...sdk, ...transformer };
}

/** Spans of a day with a check each 15 seconds have as many events; the default is 128. */
const mostEvents = 10_000;

/** Spans that wait for a collector which does not answer; the oldest go first. */
const mostSpans = 1_000;

/** A trace of each shift: one id in every process that works on the shift, so that a run that resumes it is in the same trace. */
function traceIdOf(shift: string): string {
  return createHash('sha256').update(shift).digest('hex').slice(0, 32);
}

/** What is open of a route. */
interface OpenTrace {
  readonly state: TraceState;
  readonly shift: string;
  readonly spans: Partial<Record<TraceSpan, Span>>;
  /** When its last event was. */
  readonly at: string;
}

/** Makes spans of events. Nothing is registered globally: a program may have a provider of its own. */
export class ShiftTracer {
  /** Spans that have ended, and wait to be sent. */
  private ended: ReadableSpan[] = [];
  private readonly routes = new Map<string, OpenTrace>();
  private readonly tracer: Tracer;
  private traceId = '';

  private constructor(
    private readonly loaded: Awaited<ReturnType<typeof packages>>,
    resource: Readonly<Record<string, string>>,
  ) {
    const { AlwaysOnSampler, RandomIdGenerator, TracerProvider, resourceFromAttributes } = loaded;
    const random = new RandomIdGenerator();
    const provider = new TracerProvider({
      resource: resourceFromAttributes(resource),
      sampler: new AlwaysOnSampler(),
      spanLimits: { eventCountLimit: mostEvents },
      idGenerator: {
        generateTraceId: () => this.traceId,
        generateSpanId: () => random.generateSpanId(),
      },
      spanProcessors: [
        {
          onStart: () => undefined,
          onEnd: (span) => this.keep(span),
          forceFlush: () => Promise.resolve(),
          shutdown: () => Promise.resolve(),
        },
      ],
    });
    this.tracer = provider.getTracer('cluster-canary');
  }

  /** @param resource attributes of all spans */
  public static async load(resource: Readonly<Record<string, string>>): Promise<ShiftTracer> {
    return new ShiftTracer(await packages(), resource);
  }

  /** Takes what an event means for the trace of its shift. */
  public take(event: FleetEvent): void {
    const key = JSON.stringify([event.source, event.route]);
    const known = this.routes.get(key);
    const { state, spans } = known ?? { state: noTrace, spans: {} };
    const [next, calls] = nextTrace(state, event);
    const open: OpenTrace = { state: next, shift: event.shift, spans: { ...spans }, at: event.at };
    calls.forEach((call) => this.call(open, call));
    if (next.open.length > 0) {
      this.routes.set(key, open);
    } else {
      this.routes.delete(key);
    }
  }

  /** Ends what is open, of a shift that has no end. */
  public endAll(): void {
    for (const { spans, at } of this.routes.values()) {
      [spans.step, spans.shift].forEach((span) => span?.end(timeOf(at)));
    }
    this.routes.clear();
  }

  /** Whether a span has ended that is not sent. */
  public get hasNews(): boolean {
    return this.ended.length > 0;
  }

  /** What is to be sent, as OTLP in JSON. */
  public request(): { readonly body: string; readonly sent: () => void } {
    const spans = this.ended;
    const bytes = this.loaded.JsonTraceSerializer.serializeRequest([...spans]);
    return {
      body: Buffer.from(bytes ?? []).toString('utf8'),
      sent: () => {
        this.ended = this.ended.filter((span) => !spans.includes(span));
      },
    };
  }

  private keep(span: ReadableSpan): void {
    this.ended = [...this.ended, span].slice(-mostSpans);
  }

  private call({ shift, spans }: OpenTrace, call: TraceCall): void {
    const { ROOT_CONTEXT, SpanStatusCode, trace } = this.loaded;
    const at = timeOf(call.at);
    switch (call.type) {
      case 'start': {
        const parent: Context = spans.shift ? trace.setSpan(ROOT_CONTEXT, spans.shift) : ROOT_CONTEXT;
        this.traceId = traceIdOf(shift);
        const options = { startTime: at, attributes: call.attributes as Attributes };
        spans[call.span] = this.tracer.startSpan(call.name, options, parent);
        return;
      }
      case 'note':
        spans[call.span]?.addEvent(call.name, call.attributes as Attributes, at);
        return;
      case 'end': {
        const span = spans[call.span];
        span?.setAttributes(call.attributes as Attributes);
        if (call.error !== undefined) {
          span?.setStatus({ code: SpanStatusCode.ERROR, message: call.error });
        } else if (call.isOk === true) {
          span?.setStatus({ code: SpanStatusCode.OK });
        }
        span?.end(at);
        delete spans[call.span];
      }
    }
  }
}

/** Seconds and nanoseconds: of a number, OpenTelemetry has to guess what it counts from. */
function timeOf(at: string): HrTime {
  const milliseconds = Date.parse(at);
  return [Math.floor(milliseconds / 1_000), (milliseconds % 1_000) * 1_000_000];
}
