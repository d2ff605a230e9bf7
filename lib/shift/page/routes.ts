import { createHash } from 'node:crypto';
import { formatWeights } from '../engine';
import { element, verdicts } from '../report/parts';
import type { Content } from '../report/parts';
import { html, htmlType, note, redirect, textAnswer } from './answer';
import type { PageAnswer } from './answer';
import { answerLink } from './approve';
import { documentOf, pageHeaders } from './document';
import { cookieIn, cookieKind, fieldsOf, formValue, isSameSecret, portOf, refusal } from './guard';
import type { PagePlaces, PageRequest } from './guard';
import type { PageModel } from './model';
import { personOf } from './person';
import { pageScript } from './script';
import { possible, situationOf } from './state';
import { servedStyle } from './style';
import { hiddenFields, nameField, partsMarkup, routeLine, routeParts } from './view';
import type { PageRoute, Viewer } from './view';

/** What a request is answered. Nothing is changed by GET or HEAD. */
export function answerPage(request: PageRequest, model: PageModel, now: number): PageAnswer {
  const refused = refusal(request, model.places);
  if (refused !== undefined) {
    return textAnswer(403, refused);
  }
  if (request.url.length > longestUrl || !URL.canParse(request.url, 'http://page')) {
    return note(400, 'This address can not be read');
  }
  const url = new URL(request.url, 'http://page');
  if (url.pathname.startsWith('/approve/')) {
    return answerLink(request, url, model, now);
  }
  const asks = { request, url, model, now, viewer: viewerOf(request, model) };
  switch (request.method) {
    case 'GET':
    case 'HEAD':
      return looked(asks);
    case 'POST':
      return acted(asks);
    default:
      return { ...note(405, 'This can not be done'), headers: { ...pageHeaders, allow: 'GET, HEAD, POST' } };
  }
}

/** A request with what is known of it. */
interface Asks {
  readonly request: PageRequest;
  readonly url: URL;
  readonly model: PageModel;
  readonly now: number;
  readonly viewer: Viewer;
}

const longestUrl = 4_096;

/** Of which page the cookie with the token is: cookies don't know ports. */
export function cookieName({ address }: PagePlaces): string {
  return `cluster-canary-${portOf(address)}`;
}

function viewerOf({ headers }: PageRequest, { token, places, approverHeader }: PageModel): Viewer {
  const mayAct = isSameSecret(cookieIn(headers['cookie'], cookieName(places)), token);
  const isNamed = approverHeader !== undefined && (headers[approverHeader] ?? '') !== '';
  return {
    ...(mayAct && { value: formValue(token, 'act') }),
    asksName: places.publicUrl !== undefined && !isNamed,
  };
}

function looked({ request, url, model, now, viewer }: Asks): PageAnswer {
  const { pathname, searchParams } = url;
  const [first] = model.routes;
  if (!first) {
    return note(503, 'The shift is about to begin', 'Load this page again in a moment.');
  }
  const route = model.routes.find(({ name }) => pathname === `/routes/${name}`);
  const parts = model.routes.find(({ name }) => pathname === `/parts/${name}`);
  if (searchParams.has('token')) {
    return tokenAnswer(searchParams.get('token')!, pathname, request, model);
  }
  if (pathname === '/page.css') {
    return asset(request, 'text/css; charset=utf-8', servedStyle);
  }
  if (pathname === '/page.js') {
    return asset(request, 'text/javascript; charset=utf-8', pageScript);
  }
  if (parts) {
    return partsAnswer(request, parts, model, viewer, now);
  }
  if (pathname === '/back') {
    return backPage(searchParams.get('route'), model, viewer);
  }
  return pathname === '/' || route
    ? html(200, shiftPage(route ?? first, model, viewer, now))
    : note(404, 'There is no such page');
}

/** The token becomes a cookie, and is in no address any more. */
function tokenAnswer(
  given: string,
  pathname: string,
  { headers }: PageRequest,
  { token, places }: PageModel,
): PageAnswer {
  if (!isSameSecret(given, token)) {
    return note(403, 'This token is of another run', 'Open the address that the command has printed.');
  }
  const cookie = `${cookieName(places)}=${token}; ${cookieKind(places, headers['host'])}; Path=/`;
  // `//HOST` would be an address of another site.
  return redirect(pathname.replace(/^\/+/, '/'), { 'set-cookie': cookie });
}

function shiftPage(route: PageRoute, model: PageModel, viewer: Viewer, now: number): string {
  const { routes, title, controls } = model;
  const several = routes.length > 1;
  const { outcome, progress } = route.soFar;
  const word = outcome ? verdicts[outcome.verdict] : situationOf(progress, now).word;
  return documentOf({
    title: `${word.slice(2)}: ${title}`,
    parts: `/parts/${route.name}`,
    content: [
      element(
        'header',
        {},
        element('h1', {}, several ? `${title}: ${route.name}` : title),
        several &&
          element(
            'nav',
            { 'aria-label': 'Routes' },
            element('ul', {}, ...routes.map((each) => routeLine(each, now, each === route))),
          ),
        element('p', { class: 'spoken', role: 'status', id: 'spoken' }),
        element('p', { class: 'note', id: 'lost', hidden: 'hidden' }),
      ),
      element('main', {}, ...partsMarkup(routeParts(route, viewer, now, controls))),
      element(
        'footer',
        {},
        `Served by cluster-canary, run by ${model.by}. Times on the axes count from the start.`,
      ),
    ],
  });
}

/** How often charts are drawn anew while nothing else happens, in milliseconds. */
const drawnEvery = 5_000;

function partsAnswer(
  { headers }: PageRequest,
  route: PageRoute,
  { revision, controls }: PageModel,
  viewer: Viewer,
  now: number,
): PageAnswer {
  const over = route.soFar.outcome !== undefined;
  const version = [
    revision,
    route.waitsAt,
    over ? 'over' : Math.floor(now / drawnEvery),
    viewer.value !== undefined,
  ];
  const etag = `"${digest(JSON.stringify(version))}"`;
  if (headers['if-none-match'] === etag) {
    return { status: 304, headers: { ...pageHeaders, etag }, body: '' };
  }
  const content = partsMarkup(routeParts(route, viewer, now, controls));
  const { text } = element('div', { 'data-now': now }, ...content);
  return { ...html(200, text), headers: { ...pageHeaders, ...htmlType, etag } };
}

/** What the way back would do; only the form of this page takes it. */
function backPage(name: string | null, { routes }: PageModel, viewer: Viewer): PageAnswer {
  const route = routes.find((each) => each.name === name);
  const { progress } = route?.soFar ?? {};
  if (!route || !progress || !possible(route.soFar).rollBack) {
    return note(409, 'There is nothing to take back now');
  }
  const { from, weights } = progress;
  const { value } = viewer;
  const origin = from === null ? 'where it began' : formatWeights(from);
  const form: Content =
    value !== undefined &&
    element(
      'form',
      { method: 'post', action: '/back' },
      ...hiddenFields({ route: route.name, value }),
      nameField(viewer, '/back'),
      element('button', { class: 'button back', type: 'submit', id: 'do-back' }, 'Take the traffic back'),
    );
  const title = `Take the traffic back to ${origin}?`;
  return html(
    200,
    documentOf({
      title,
      content: [
        element('header', {}, element('h1', {}, title)),
        element(
          'main',
          { class: 'ask' },
          element('p', {}, `Live: ${weights === null ? 'not known' : formatWeights(weights)}.`),
          element('p', {}, 'It is one write. The shift ends once these weights are read back.'),
          element(
            'div',
            { class: 'actions' },
            form,
            element('a', { class: 'button', href: `/routes/${route.name}` }, 'No, leave it'),
          ),
        ),
      ],
    }),
  );
}

function acted({ request, url, model, viewer }: Asks): PageAnswer {
  const fields = fieldsOf(request.body);
  if (viewer.value === undefined || !isSameSecret(fields['value'], viewer.value)) {
    return note(403, 'Nothing was changed', 'Open the address that the command has printed: it has a token.');
  }
  if (url.pathname === '/control') {
    const { controls } = model;
    const isKnown = controls?.actions.some(({ name }) => name === fields['do']) === true;
    return isKnown
      ? { ...redirect('/'), action: { type: 'control', name: fields['do']! } }
      : note(404, 'There is no such action');
  }
  const route = model.routes.find(({ name }) => name === fields['route']);
  if (!route) {
    return note(404, 'There is no such route');
  }
  const can = possible(route.soFar, route.waitsAt);
  const by = `${personOf(request, model, fields['name'])}, on the page`;
  const done = redirect(`/routes/${route.name}`);
  switch (url.pathname) {
    case '/continue': {
      const place = can.continueBeyond;
      return place !== undefined && String(place) === fields['place']
        ? { ...done, action: { type: 'continue', route: route.name, place, by } }
        : late('It does not wait there any more');
    }
    case '/hold':
      return can.hold
        ? { ...done, action: { type: 'hold', route: route.name, by } }
        : late('There is no step to hold now');
    case '/back':
      return can.rollBack
        ? { ...done, action: { type: 'rollBack', route: route.name, by } }
        : late('There is nothing to take back now');
    default:
      return note(404, 'There is no such action');
  }
}

function late(title: string): PageAnswer {
  return note(409, title, 'Something has happened meanwhile. Nothing was changed.');
}

function asset({ headers }: PageRequest, type: string, body: string): PageAnswer {
  const etag = `"${digest(body)}"`;
  const all = { ...pageHeaders, 'content-type': type, 'cache-control': 'no-cache', etag };
  return headers['if-none-match'] === etag
    ? { status: 304, headers: all, body: '' }
    : { status: 200, headers: all, body };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
