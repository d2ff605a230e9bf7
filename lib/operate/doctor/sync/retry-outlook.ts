import { formatDuration, parseDuration } from '../../../core/durations';
import type { KubernetesObject } from '../../../core/kubernetes/api';
import { Field } from '../../../lint';
import { dateOf } from './failures';

/** Whether a failed sync is tried again, and when. */
export interface RetryOutlook {
  /**
   * - `waiting`: the next try has a time
   * - `trying`: a try is under way
   * - `exhausted`: every try is used up, Argo CD does not try this revision again automatically
   * - `none`: no retry is set
   * - `over`: there is no failed operation
   */
  readonly state: 'waiting' | 'trying' | 'exhausted' | 'none' | 'over';
  /** When the operation began. */
  readonly since?: Date;
  /** When the next try is due. */
  readonly next?: Date;
  /** In one sentence, for a person. */
  readonly text: string;
}

/** Defaults of Argo CD 3.3.4, pkg/apis/application/v1alpha1/application_defaults.go: 5 s, doubled, at most 3 min. */
const defaults = { duration: 5_000, factor: 2, maxDuration: 180_000 };

/**
 * When Argo CD tries a failed operation again.
 *
 * A retry waits `duration * factor^retries`, at most `maxDuration`, from the end of the last try; an operation that waits
 * has the phase Running and an end. The time in its message is that of one retry less.
 *
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/controller/appcontroller.go processRequestedAppOperation
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/pkg/apis/application/v1alpha1/types.go NextRetryAt
 */
export function retryOutlook(application: KubernetesObject, now: Date): RetryOutlook {
  const state = Field.ofValue(application.status).get('operationState');
  const retry = state.get('operation', 'retry');
  const limit = retry.get('limit').number ?? 0;
  const tries = state.get('retryCount').number ?? 0;
  const began = dateOf(state.get('startedAt').text);
  const ended = dateOf(state.get('finishedAt').text);
  const since = began ? { since: began } : {};
  const phase = state.get('phase').text;
  const sinceText = began ? `since ${iso(began)} (${ago(began, now)})` : 'since an unknown time';
  const used = `${tries} of ${limit < 0 ? 'any number of' : limit} retries used`;
  if (phase === 'Running' && ended) {
    const next = new Date(Math.min(ended.getTime() + wait(retry.get('backoff'), tries), lastDate));
    const due =
      next <= now
        ? `was due at ${iso(next)}`
        : `at ${iso(next)} (in ${rounded(next.getTime() - now.getTime())})`;
    return {
      state: 'waiting',
      ...since,
      next,
      text: `It fails ${sinceText}; ${used}; the next try ${next <= now ? due : `is ${due}`}.`,
    };
  }
  if (phase === 'Running') {
    return { state: 'trying', ...since, text: `A try is under way ${sinceText}; ${used}.` };
  }
  if (phase !== 'Failed' && phase !== 'Error') {
    return { state: 'over', ...since, text: 'No sync has failed.' };
  }
  if (limit === 0) {
    const how = state.get('operation', 'initiatedBy', 'automated').boolean
      ? '`spec.syncPolicy.retry.limit` is 0'
      : 'a sync that a user starts has no retries unless it is given some';
    return {
      state: 'none',
      ...since,
      text: `It failed ${sinceText}; no retry is set (${how}), so nothing is tried again until the revision changes or a user syncs.`,
    };
  }
  return {
    state: 'exhausted',
    ...since,
    text: `It failed ${sinceText}; ${used}, so nothing is tried again until the revision changes or a user syncs.`,
  };
}

/** Of one retry more than the message says: the count is raised before it is waited for. In milliseconds. */
function wait(backoff: Field, tries: number): number {
  const duration = goDurationOf(backoff.get('duration').text) ?? defaults.duration;
  const most = goDurationOf(backoff.get('maxDuration').text) ?? defaults.maxDuration;
  const factor = backoff.get('factor').number ?? defaults.factor;
  const length = duration * factor ** Math.min(Math.max(tries, 0), 1_000);
  return Math.min(Math.max(length || 0, 0), most > 0 ? most : longest, longest);
}

/** The last time that a Date can hold, in milliseconds since 1970. */
const lastDate = 8.64e15;

/** A wait that is longer counts as this one; about 30 years in milliseconds. */
const longest = 1e12;

/** A bare number is seconds. */
function goDurationOf(text: string | undefined): number | undefined {
  if (!text) {
    return undefined;
  }
  return /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : parseDuration(text);
}

function iso(date: Date): string {
  return date.toISOString().replace('.000Z', 'Z');
}

function ago(date: Date, now: Date): string {
  const passed = now.getTime() - date.getTime();
  return passed < 0 ? "in the future by this machine's clock" : `for ${rounded(passed)}`;
}

/** To two units: `2h5m`, `12s`. */
function rounded(milliseconds: number): string {
  const unit = milliseconds >= 3_600_000 ? 60_000 : 1_000;
  return formatDuration(Math.max(Math.round(milliseconds / unit) * unit, 1_000));
}
