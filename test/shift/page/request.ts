import type { PageRequest } from '../../../lib/shift/page/guard';
import { formValue } from '../../../lib/shift/page/guard';
import type { PageModel } from '../../../lib/shift/page/model';
import { answerPage, cookieName } from '../../../lib/shift/page/routes';
import type { ShiftProgress } from '../../../lib/shift/engine';

/** 2026-01-01T12:00:00Z */
export const start = Date.UTC(2026, 0, 1, 12);

export const address = '127.0.0.1:8080';

export const token = 'a-token-of-the-tests';

export function progress(more: Partial<ShiftProgress> = {}): ShiftProgress {
  return {
    ...{ at: start, activity: 'standing', step: 2, steps: 7, startedAt: start },
    ...{ weights: { blue: 98, green: 2 }, from: { blue: 100, green: 0 }, wanted: { blue: 0, green: 100 } },
    ...{ rollbackReason: null, checks: [], standsUntil: start + 80_000, endsAt: start + 600_000 },
    ...{ pausedAt: null, heldBy: null, approvals: [], verdict: null },
    ...more,
  };
}

/** A page about one shift. */
export function model(more: Partial<PageModel> = {}, so: Partial<ShiftProgress> = {}): PageModel {
  const startedAt = new Date(start).toISOString();
  const soFar = { startedAt, writes: [], checks: [], log: [], progress: progress(so) };
  const { pausedAt } = soFar.progress;
  return {
    ...{
      title: 'Traffic shift of plan.yaml',
      by: 'alex@laptop',
      revision: 1,
      token,
      nonce: 'a-nonce-of-the-tests-of-it',
      places: { address },
    },
    routes: [{ name: 'traffic', soFar, ...(pausedAt !== null && { waitsAt: pausedAt }) }],
    ...more,
  };
}

const own = { host: address };

export function ask(
  url: string,
  page: PageModel = model(),
  { method = 'GET', headers = {}, body = '' }: Partial<PageRequest> = {},
): ReturnType<typeof answerPage> {
  return answerPage({ method, url, headers: { ...own, ...headers }, body }, page, start);
}

/** What a browser that has opened the page with its token sends with a form. */
export function send(
  url: string,
  fields: Readonly<Record<string, string>>,
  page: PageModel = model(),
  headers: PageRequest['headers'] = {},
): ReturnType<typeof answerPage> {
  const value = formValue(token, 'act');
  return ask(url, page, {
    method: 'POST',
    headers: {
      ...{ origin: `http://${address}`, 'sec-fetch-site': 'same-origin' },
      cookie: `other=1; ${cookieName(page.places)}=${token}`,
      ...headers,
    },
    body: new URLSearchParams({ route: 'traffic', value, ...fields }).toString(),
  });
}
