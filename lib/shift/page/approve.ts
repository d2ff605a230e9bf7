import { formatWeights } from '../engine';
import { element, time } from '../report/parts';
import { html, note } from './answer';
import type { PageAnswer } from './answer';
import { documentOf } from './document';
import { cookieIn, cookieKind, fieldsOf, formValue, isSameSecret, portOf } from './guard';
import type { PageRequest } from './guard';
import { readLink } from './link';
import type { LinkContent } from './link';
import type { PageModel } from './model';
import { personOf } from './person';
import { possible } from './state';
import { answers, hiddenFields, nameField } from './view';
import type { PageRoute } from './view';

/**
 * A signed link: GET shows what it would do, and only the form of that page does it. Previews of chats and scanners of mails ask
 * for every link, and must change nothing.
 */
export function answerLink(request: PageRequest, url: URL, model: PageModel, now: number): PageAnswer {
  const token = url.pathname.slice('/approve/'.length);
  const found = waitingFor(token, model, now);
  if ('status' in found) {
    return found;
  }
  if (request.method === 'POST') {
    return approved(request, token, found, model);
  }
  return request.method === 'GET' || request.method === 'HEAD'
    ? asked(request, token, found, model)
    : note(405, 'This can not be done');
}

interface Waiting {
  readonly route: PageRoute;
  readonly link: LinkContent;
}

/** What waits for a link, or why nothing does. */
function waitingFor(token: string, model: PageModel, now: number): Waiting | PageAnswer {
  const { links, routes } = model;
  const link = links ? readLink(links.key, token, now) : 'altered';
  if (!links || link === 'altered') {
    return note(404, 'This link does not belong to this shift', 'It was altered, or another run sent it.');
  }
  if (link === 'expired') {
    return note(410, 'This link has expired', 'Whoever runs the shift can let it continue.');
  }
  if (links.used.has(link.id)) {
    return note(409, 'This link was used already', 'It counts once.');
  }
  const route = routes.find(({ name }) => name === link.route);
  if (!route || links.shiftOf(route) !== link.shift) {
    return note(
      409,
      'This link is of another run',
      'The shift that it was sent for has ended, or has not begun.',
    );
  }
  if (!links.isNewest(link)) {
    return note(409, 'This link is of another pause', 'Each pause of each run has a link of its own.');
  }
  const { continueBeyond } = possible(route.soFar, route.waitsAt);
  return continueBeyond === link.place
    ? { route, link }
    : note(
        409,
        'It does not wait there any more',
        `The link is for the pause at ${link.place} % of the way.`,
      );
}

function cookieName({ places }: PageModel): string {
  return `cluster-canary-link-${portOf(places.address)}`;
}

/** The value of the form: it is in no link, and of one browser. */
function valueFor(nonce: string, token: string, model: PageModel): string {
  return formValue(model.token, `link\n${nonce}\n${token}`);
}

function isNamed({ headers }: PageRequest, { approverHeader }: PageModel): boolean {
  return approverHeader !== undefined && (headers[approverHeader] ?? '') !== '';
}

function asked(request: PageRequest, token: string, { route, link }: Waiting, model: PageModel): PageAnswer {
  const { headers } = request;
  const before = cookieIn(headers['cookie'], cookieName(model));
  const nonce = before !== undefined && /^[\w-]{22,64}$/.test(before) ? before : model.nonce;
  const { progress } = route.soFar;
  const { weights, wanted, step, steps } = progress!;
  const title = `Let it continue beyond ${link.place} % of the way?`;
  const viewer = { value: valueFor(nonce, token, model), asksName: !isNamed(request, model) };
  const live = weights === null ? 'not known' : formatWeights(weights);
  const page = documentOf({
    title,
    content: [
      element('header', {}, element('p', { class: 'quiet' }, model.title), element('h1', {}, title)),
      element(
        'main',
        { class: 'ask' },
        element(
          'p',
          {},
          `Live: ${live}. It waits after step ${step} of ${steps}, and ends at ${formatWeights(wanted)}.`,
        ),
        element(
          'p',
          {},
          'If you agree, the next step begins once its checks pass. Your name is put on record.',
        ),
        element(
          'form',
          { method: 'post', action: `/approve/${token}`, class: 'actions' },
          ...hiddenFields({ value: viewer.value }),
          nameField(viewer, '/approve', true),
          element('button', { class: 'button primary', type: 'submit', id: 'do-approve' }, 'Continue'),
        ),
        element(
          'p',
          { class: 'quiet' },
          'The link expires at ',
          time(new Date(link.expires * 1_000).toISOString()),
          ' UTC.',
        ),
        answers(route.soFar),
      ),
    ],
  });
  const cookie = `${cookieName(model)}=${nonce}; ${cookieKind(model.places, headers['host'])}; Path=/approve`;
  const answer = html(200, page);
  return { ...answer, headers: { ...answer.headers, 'set-cookie': cookie } };
}

function approved(
  request: PageRequest,
  token: string,
  { route, link }: Waiting,
  model: PageModel,
): PageAnswer {
  const fields = fieldsOf(request.body);
  const nonce = cookieIn(request.headers['cookie'], cookieName(model));
  if (nonce === undefined || !isSameSecret(fields['value'], valueFor(nonce, token, model))) {
    return note(403, 'Nothing was changed', 'Open the link itself, and agree on the page that it shows.');
  }
  if (!isNamed(request, model) && (fields['name'] ?? '').trim() === '') {
    return note(400, 'Nothing was changed', 'Write your name: it is put on record.');
  }
  const by = `${personOf(request, model, fields['name'])}, by the link`;
  const answer = note(200, 'It continues', `You have let it continue beyond ${link.place} % of the way.`);
  return { ...answer, action: { type: 'continue', route: route.name, place: link.place, by, link: link.id } };
}
