import { randomBytes } from 'node:crypto';
import { sleep } from '../../core/async';
import { formatDuration } from '../../core/durations';
import type { Resume, ShiftObserver, ShiftRun } from '../engine';
import type { PageAddress } from './address';
import type { PageRequest } from './guard';
import { DrawnCharts } from './charts';
import { People } from './people';
import type { PageAction, PageAnswer } from './answer';
import { linkToken, readLink } from './link';
import type { LinkContent } from './link';
import { answerPage } from './routes';
import type { PageModel } from './model';
import { PageServer } from './server';
import { SoFarFeed } from './so-far';
import type { PageControls } from './view';

/** What a page is opened with. */
export interface ShiftPageOptions extends Pick<PageModel, 'title' | 'by' | 'approverHeader'> {
  readonly address: PageAddress;
  /** Where people find it, behind TLS of one's own. @default - only where it listens */
  readonly publicUrl?: string;
  /** Buttons beside those of the shift. @default - none */
  readonly controls?: PageControls;
  /** Signs links that let it continue: at least 32 bytes, and how long they count, in milliseconds. @default - no links */
  readonly links?: { readonly key: string; readonly expiresMs: number };
  /** Id of the shift of a route that began at that time. @default - the time itself */
  readonly shiftId?: (route: string, startedAt: number) => string;
  /** @default Date.now */
  readonly now?: () => number;
}

interface OpenRoutePage {
  readonly name: string;
  readonly feed: SoFarFeed;
  readonly people: People;
  readonly charts: DrawnCharts;
}

/** How long it is still served at the end: a script asks each second, a page without one each five. In milliseconds. */
const lastLook = { script: 1_600, page: 6_000 };

/**
 * A page about the shifts of this process, while they run: what happens, and what a person can do. It has no part in the shifts
 * but by what people say there.
 *
 * @example
 * const page = await ShiftPage.open({ address: { host: '127.0.0.1', port: 0 }, title: 'Shift of apps', by: 'alex@laptop' });
 * const { observer, ...people } = page.route('traffic');
 * await runShift({ …, observer, ...people });
 * await page.end();
 */
export class ShiftPage {
  private readonly routes: OpenRoutePage[] = [];
  private readonly token = randomBytes(32).toString('base64url');
  private readonly server: PageServer;
  private readonly now: () => number;
  private address = '';
  private readonly used = new Set<string>();
  /** Id of the newest link of each route. */
  private readonly newest = new Map<string, string>();
  private acts = 0;
  private asked = { script: -Infinity, page: -Infinity };

  private constructor(private readonly options: ShiftPageOptions) {
    this.now = options.now ?? Date.now;
    this.server = new PageServer((request) => this.answer(request));
  }

  /**
   * Opens a page, which is served from then on.
   *
   * @throws Error of the system where it can't listen there
   */
  public static async open(options: ShiftPageOptions): Promise<ShiftPage> {
    const page = new ShiftPage(options);
    const { host, port } = options.address;
    page.address = await page.server.listen(host, port);
    return page;
  }

  /** Where to look. */
  public get url(): string {
    return this.options.publicUrl === undefined
      ? `http://${this.address}/`
      : `${new URL(this.options.publicUrl).origin}/`;
  }

  /** Where to look and act: whoever knows it may do so. */
  public get urlWithToken(): string {
    return `${this.url}?token=${this.token}`;
  }

  /**
   * Adds a shift.
   *
   * @param other another way to let it continue, which counts as well. @default - none
   * @returns what its run takes
   */
  public route(
    name: string,
    other?: Resume,
  ): { readonly observer: ShiftObserver; readonly people: People } & Required<
    Pick<ShiftRun, 'requests' | 'resume'>
  > {
    const { links, publicUrl } = this.options;
    const how = [
      ...(links && publicUrl !== undefined
        ? [`use the link in the notification within ${formatDuration(links.expiresMs)}`]
        : []),
      `open ${this.url} with the token that shift has printed`,
      ...(other === undefined ? [] : [other.how]),
    ].join('; or ');
    const people = new People(how, other);
    const feed = new SoFarFeed(this.now);
    this.routes.push({ name, feed, people, charts: new DrawnCharts() });
    return { observer: feed.observer, requests: people, resume: people, people };
  }

  /**
   * A link that lets a shift continue beyond a pause, once: who has it can do so. Earlier ones of the route count no more. It is
   * for a notification, and for nothing that is kept.
   *
   * @returns `undefined` without a key, or without a public address
   */
  public approveUrl(shift: string, route: string, place: number): string | undefined {
    const { links, publicUrl } = this.options;
    if (!links || publicUrl === undefined) {
      return undefined;
    }
    const expires = Math.floor((this.now() + links.expiresMs) / 1_000);
    const token = linkToken(links.key, { shift, route, place, expires });
    this.newest.set(route, (readLink(links.key, token, -Infinity) as LinkContent).id);
    return `${this.url}approve/${token}`;
  }

  /**
   * Lets those who look see the end, and closes it.
   *
   * @param signal closes it at once
   */
  public async end(signal?: AbortSignal): Promise<void> {
    const now = this.now();
    const { script, page } = this.asked;
    const isRecent = (at: number, within: number): boolean => now - at < within;
    const wait = Math.max(
      isRecent(script, 2 * lastLook.script) ? lastLook.script : 0,
      isRecent(page, lastLook.page) && !isRecent(script, lastLook.page) ? lastLook.page : 0,
    );
    if (wait > 0 && this.routes.some(({ feed }) => feed.soFar.outcome)) {
      await sleep(wait, signal).catch(() => undefined);
    }
    await this.close();
  }

  /** Closes it at once. */
  public close(): Promise<void> {
    return this.server.close();
  }

  private answer(request: PageRequest): PageAnswer {
    const answer = answerPage(request, this.model(), this.now());
    if (answer.action) {
      this.act(answer.action);
    }
    if (request.method === 'GET' && answer.status < 400) {
      const isScript = request.url.startsWith('/parts/');
      this.asked = { ...this.asked, [isScript ? 'script' : 'page']: this.now() };
    }
    return answer;
  }

  private model(): PageModel {
    const { publicUrl, links, shiftId, address: _address, now: _now, ...shown } = this.options;
    return {
      ...shown,
      routes: this.routes.map(({ name, feed, people, charts }) => ({
        ...{ name, soFar: feed.soFar, charts },
        ...(people.waitsAt !== undefined && { waitsAt: people.waitsAt }),
      })),
      revision: this.routes.reduce((sum, { feed }) => sum + feed.revision, this.acts),
      places: { address: this.address, ...(publicUrl !== undefined && { publicUrl }) },
      token: this.token,
      nonce: randomBytes(18).toString('base64url'),
      ...(links && {
        links: {
          ...{ key: links.key, used: this.used },
          isNewest: ({ route, id }) => this.newest.get(route) === id,
          shiftOf: ({ name, soFar: { progress } }) =>
            typeof progress?.startedAt === 'number'
              ? (shiftId?.(name, progress.startedAt) ?? String(progress.startedAt))
              : undefined,
        },
      }),
    };
  }

  private act(action: PageAction): void {
    this.acts += 1;
    if (action.type === 'control') {
      this.options.controls?.act(action.name);
      return;
    }
    const { people } = this.routes.find(({ name }) => name === action.route)!;
    if (action.type === 'continue') {
      people.letContinue(action.place, action.by);
      this.used.add(action.link ?? '');
    } else {
      people.ask({ what: action.type, by: action.by });
    }
  }
}
