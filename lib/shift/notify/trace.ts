import { formatFigure } from '../engine';
import type { CheckRecord, Weights } from '../engine';
import type { FleetEvent } from './event';
import { eventText } from './event';

/** What is known of a span or an event beside its name. */
export type TraceAttributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** What an event means for the trace of a shift. A span of a step is below that of its shift. */
export type TraceCall = { readonly at: string } & (
  | {
      readonly type: 'start';
      readonly span: TraceSpan;
      readonly name: string;
      readonly attributes: TraceAttributes;
    }
  | {
      readonly type: 'note';
      readonly span: TraceSpan;
      readonly name: string;
      readonly attributes: TraceAttributes;
    }
  | {
      readonly type: 'end';
      readonly span: TraceSpan;
      readonly attributes: TraceAttributes;
      /** Why it went wrong. @default - it went well, or neither */
      readonly error?: string;
      /** Whether it went well. @default false */
      readonly isOk?: boolean;
    }
);

/** A span that is open. */
export type TraceSpan = 'shift' | 'step';

/** What is open of the trace of a route. */
export interface TraceState {
  readonly open: readonly TraceSpan[];
  /** Why the step that is open went wrong. @default - it has not */
  readonly stepError?: string;
}

/** Before the first event. */
export const noTrace: TraceState = { open: [] };

/** What an event means for the trace of its shift: a shift is a trace, a step is a span, and all else are events of these. */
export function nextTrace(state: TraceState, event: FleetEvent): readonly [TraceState, readonly TraceCall[]] {
  const { at } = event;
  const calls: TraceCall[] = [];
  if (!state.open.includes('shift')) {
    calls.push({
      type: 'start',
      span: 'shift',
      at,
      name: `shift ${event.route}`,
      attributes: ofShift(event),
    });
  }
  const isInStep = state.open.includes('step');
  const span: TraceSpan = isInStep ? 'step' : 'shift';
  const note = (name: string, attributes: TraceAttributes): void => {
    calls.push({ type: 'note', span, at, name, attributes });
  };
  const { stepError } = state;
  const endStep = (): void => {
    if (isInStep) {
      const fate = stepError === undefined ? { isOk: true } : { error: stepError };
      calls.push({ type: 'end', span: 'step', at, attributes: {}, ...fate });
    }
  };
  switch (event.type) {
    case 'stepWritten': {
      const { step, steps, rollback = false } = event;
      endStep();
      const place = { 'cluster_canary.step': step, 'cluster_canary.steps': steps };
      calls.push({
        ...{ type: 'start', span: 'step', at, name: rollback ? 'rollback' : `step ${step} of ${steps}` },
        attributes: { ...(rollback ? {} : place), ...ofWeights('weight', event.weights) },
      });
      return [{ open: ['shift', 'step'] }, calls];
    }
    case 'ended': {
      const { verdict, reason, writes, weights } = event;
      endStep();
      const [first = ''] = reason.split('\n');
      const isBad = verdict === 'rolledBack' || verdict === 'aborted';
      calls.push({
        ...{ type: 'end', span: 'shift', at },
        attributes: {
          ...{ 'cluster_canary.verdict': verdict, 'cluster_canary.reason': reason },
          ...{ 'cluster_canary.writes': writes, ...ofWeights('final', weights) },
        },
        ...(isBad ? { error: first } : { isOk: verdict === 'completed' }),
      });
      return [noTrace, calls];
    }
    case 'checkAnswered':
      note('check', ofCheck(event.check));
      break;
    case 'started':
      note(event.type, {
        ...ofWeights('from', event.from),
        ...ofWeights('wanted', event.wanted),
        'cluster_canary.steps': event.steps,
      });
      break;
    case 'waiting':
    case 'paused':
    case 'resumed':
    case 'rollingBack':
      note(event.type, { 'cluster_canary.text': eventText(event) });
  }
  const error = event.type === 'rollingBack' ? event.reason.split('\n')[0] : stepError;
  const open: readonly TraceSpan[] = isInStep ? ['shift', 'step'] : ['shift'];
  return [{ open, ...(error !== undefined && { stepError: error }) }, calls];
}

/** Names with `cicd.` are those of OpenTelemetry. @see https://opentelemetry.io/docs/specs/semconv/registry/attributes/cicd/ */
function ofShift({ route, fleet, source, by, shift }: FleetEvent): TraceAttributes {
  return {
    ...{ 'cicd.pipeline.name': route, 'cicd.pipeline.run.id': shift },
    ...{ 'cluster_canary.route': route, 'cluster_canary.source': source, 'cluster_canary.by': by },
    ...(fleet !== undefined && { 'cluster_canary.fleet': fleet }),
  };
}

function ofCheck({ name, stage, status, reason, figures }: CheckRecord): TraceAttributes {
  return {
    ...{ 'cluster_canary.check': name, 'cluster_canary.check.stage': stage },
    ...{ 'cluster_canary.check.status': status, 'cluster_canary.check.reason': reason },
    ...(figures.length > 0 && { 'cluster_canary.check.figures': figures.slice(0, 100).map(formatFigure) }),
  };
}

function ofWeights(what: string, weights: Weights | null): TraceAttributes {
  return Object.fromEntries(
    Object.entries(weights ?? {}).map(([slot, weight]) => [`cluster_canary.${what}.${slot}`, weight]),
  );
}
