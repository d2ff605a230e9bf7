/**
 * Keeps a page up to date: it asks for the parts, and replaces those that differ. All of it works without, by loading the page
 * anew. It has no markup of its own: what it shows, the command has drawn.
 */
export const pageScript = `'use strict';
(() => {
  const root = document.querySelector('[data-parts]');
  if (!root) return;
  const address = root.dataset.parts;
  const spoken = document.getElementById('spoken');
  const lost = document.getElementById('lost');
  const known = new Map();
  let etag = '';
  let ahead = 0;
  let failures = 0;
  let over = false;
  let timer;
  let busy = false;

  const duration = (milliseconds) => {
    const all = Math.max(0, Math.round(milliseconds / 1000));
    const [h, m, s] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
    return (h ? h + 'h' : '') + (m ? m + 'm' : '') + (s || all === 0 ? s + 's' : '');
  };
  const tick = () => {
    const now = Date.now() - ahead;
    for (const each of document.querySelectorAll('[data-until]')) {
      const text = duration(Number(each.dataset.until) - now);
      if (each.textContent !== text) each.textContent = text;
    }
  };

  const unfolded = (part) => [...part.querySelectorAll('details')].map((each) => each.open);
  const place = (fresh) => {
    const old = document.getElementById(fresh.id);
    if (!old) {
      document.querySelector('main').append(fresh);
      return;
    }
    const open = unfolded(old);
    const focused = old.contains(document.activeElement) ? document.activeElement : null;
    const at = focused ? focused.id : '';
    const typed = [...old.querySelectorAll('input[type=text]')].map((each) => [each.id, each.value]);
    const scrolled = [...old.querySelectorAll('.scroll')].map((each) => each.scrollLeft);
    const order = focused ? [...old.querySelectorAll('summary, a, button, [tabindex]')].indexOf(focused) : -1;
    fresh.querySelectorAll('details').forEach((each, index) => { each.open = open[index] === true; });
    old.replaceWith(fresh);
    for (const [id, value] of typed) {
      const field = document.getElementById(id);
      if (field) field.value = value;
    }
    fresh.querySelectorAll('.scroll').forEach((each, index) => { each.scrollLeft = scrolled[index] || 0; });
    if (focused) {
      const same = (at && document.getElementById(at)) || [...fresh.querySelectorAll('summary, a, button, [tabindex]')][order];
      if (same) same.focus({ preventScroll: true });
    }
  };
  const show = (text) => {
    const parsed = new DOMParser().parseFromString(text, 'text/html');
    const all = parsed.querySelector('[data-now]');
    if (!all) return;
    ahead = Date.now() - Number(all.dataset.now);
    const parts = [...all.children];
    for (const part of parts) {
      const html = part.outerHTML;
      if (known.get(part.id) !== html) {
        known.set(part.id, html);
        place(document.importNode(part, true));
      }
    }
    const said = document.querySelector('[data-said]');
    if (said && spoken.textContent !== said.dataset.said) {
      spoken.textContent = said.dataset.said;
      const word = said.querySelector('strong').textContent.slice(2);
      document.title = word + ': ' + document.querySelector('h1').textContent;
    }
    over = document.querySelector('[data-over]') !== null;
  };
  const say = (text) => {
    lost.textContent = text;
    lost.hidden = text === '';
  };

  const ask = async () => {
    clearTimeout(timer);
    if (busy) return;
    busy = true;
    try {
      const headers = etag === '' ? {} : { 'if-none-match': etag };
      const answer = await fetch(address, { headers, cache: 'no-store', signal: AbortSignal.timeout(10000) });
      if (answer.status === 200) {
        etag = answer.headers.get('etag') || '';
        show(await answer.text());
      }
      failures = 0;
      say('');
    } catch {
      failures += 1;
      if (failures > 2 && !over) say('The command does not answer any more. What you see is what it said last.');
    }
    busy = false;
    if (over) failures += 1;
    if (failures < 60) timer = setTimeout(ask, document.hidden ? 10000 : failures > 2 ? 5000 : 1000);
  };

  document.addEventListener('submit', async (event) => {
    const form = event.target;
    if (!form.dataset.act) return;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form, event.submitter));
    try {
      const answer = await fetch(form.getAttribute('action'), { method: 'POST', body, redirect: 'manual' });
      if (answer.type !== 'opaqueredirect' && !answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
        const title = page.querySelector('h1');
        spoken.textContent = title ? title.textContent : 'Nothing was changed';
        say(spoken.textContent + '.');
      }
    } catch {
      say('The command does not answer. Nothing may have changed.');
    }
    ask();
  });
  document.addEventListener('visibilitychange', () => { if (!document.hidden) ask(); });
  setInterval(tick, 500);
  ask();
})();
`;
