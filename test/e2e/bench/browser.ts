import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { chromiumPath } from '../tools/chromium';
import { onCleanUp } from './clean-up';
import { temporaryFolder } from './temporary';

/** How a page is looked at. */
export interface View {
  readonly scheme: 'light' | 'dark';
  /** Pixels. */
  readonly width: number;
}

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly params?: any;
  readonly result?: any;
  readonly error?: { readonly message: string };
}

/**
 * Chromium without a window, driven through a pipe: it listens on no port.
 *
 * @see https://chromedevtools.github.io/devtools-protocol/
 */
export class Browser {
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private readonly listeners = new Map<string, (params: any) => void>();
  /** What the browser has complained of: a policy of the page, a script that failed. */
  public readonly complaints: string[] = [];
  private session?: string;
  private calls = 0;
  private text = '';

  private constructor(
    child: ChildProcess,
    private readonly input: Writable,
    output: Readable,
  ) {
    output.setEncoding('utf8').on('data', (data: string) => this.read(data));
    const fail = (message: string) => () => this.waiting.forEach((answer) => answer({ error: { message } }));
    // A program that is gone, or was never there, is told of by its end.
    input.on('error', () => undefined);
    child.on('exit', fail('it ended')).on('error', fail('it can not be started'));
  }

  /** Starts it; it ends with the test file. */
  public static async start(): Promise<Browser> {
    const child = spawn(
      chromiumPath(),
      [
        ...['--headless', '--remote-debugging-pipe', `--user-data-dir=${temporaryFolder('chromium')}`],
        // Root has no sandbox, and the suite's namespaces are one already.
        ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'],
        ...['--disable-background-networking', '--disable-component-update', '--hide-scrollbars'],
      ],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
    );
    const browser = new Browser(child, child.stdio[3] as Writable, child.stdio[4] as Readable);
    onCleanUp(() => browser.end(child));
    const { targetId } = await browser.call('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await browser.call('Target.attachToTarget', { targetId, flatten: true });
    browser.session = sessionId;
    await browser.call('Page.enable', {});
    browser.listeners.set('Log.entryAdded', ({ entry }) => browser.complaints.push(entry.text));
    browser.listeners.set('Runtime.exceptionThrown', ({ exceptionDetails: { text, exception } }) =>
      browser.complaints.push(exception?.description ?? text),
    );
    await browser.call('Log.enable', {});
    await browser.call('Runtime.enable', {});
    return browser;
  }

  /** Looks at pages in this way from now on. */
  public async look({ scheme, width }: View): Promise<void> {
    const features = [{ name: 'prefers-color-scheme', value: scheme }];
    await this.call('Emulation.setEmulatedMedia', { features });
    const metrics = { width, height: 900, deviceScaleFactor: 1, mobile: false };
    await this.call('Emulation.setDeviceMetricsOverride', metrics);
  }

  /** Whether scripts of pages run, from the next page on. */
  public async runScripts(value: boolean): Promise<void> {
    await this.call('Emulation.setScriptExecutionDisabled', { value: !value });
  }

  /** Presses keys, one after the other: `Tab`, `Enter`. */
  public async press(...keys: readonly ('Tab' | 'Enter' | ' ')[]): Promise<void> {
    const codes = { Tab: 9, Enter: 13, ' ': 32 };
    for (const key of keys) {
      const text = key === 'Enter' ? '\r' : key === ' ' ? ' ' : undefined;
      const event = { key, code: key === ' ' ? 'Space' : key, windowsVirtualKeyCode: codes[key] };
      await this.call('Input.dispatchKeyEvent', { type: 'keyDown', ...event, ...(text && { text }) });
      await this.call('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
    }
  }

  /** The whole page as a PNG. */
  public async picture(): Promise<Buffer> {
    const { data } = await this.call('Page.captureScreenshot', {
      format: 'png',
      captureBeyondViewport: true,
    });
    return Buffer.from(data, 'base64');
  }

  /** Loads a page and waits until it is there. */
  public async open(address: string, view: View): Promise<void> {
    await this.look(view);
    const loaded = new Promise<void>((resolve) => this.listeners.set('Page.loadEventFired', () => resolve()));
    const { errorText } = await this.call('Page.navigate', { url: address });
    if (errorText !== undefined) {
      throw new Error(`${address}: ${errorText}`);
    }
    await loaded;
  }

  /** Evaluates JavaScript in the page, waits for a promise, and answers its value. */
  public async evaluate<T>(expression: string): Promise<T> {
    const options = { awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.call('Runtime.evaluate', { expression, ...options });
    if (exceptionDetails !== undefined) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value as T;
  }

  /** Its other processes write into its folder until they have ended, too. */
  private async end(child: ChildProcess): Promise<void> {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
      return;
    }
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const late = setTimeout(() => child.kill('SIGKILL'), 5_000);
    this.session = undefined;
    await this.call('Browser.close', {});
    await ended;
    clearTimeout(late);
  }

  private async call(method: string, params: object): Promise<any> {
    this.calls += 1;
    const id = this.calls;
    const answered = new Promise<Answer>((resolve) => this.waiting.set(id, resolve));
    const session = this.session === undefined ? {} : { sessionId: this.session };
    this.input.write(`${JSON.stringify({ id, method, params, ...session })}\0`);
    const { result, error } = await answered;
    if (error !== undefined) {
      throw new Error(`Chromium: ${method}: ${error.message}`);
    }
    return result;
  }

  private read(data: string): void {
    const messages = (this.text + data).split('\0');
    this.text = messages.pop()!;
    for (const message of messages) {
      const answer = JSON.parse(message) as Answer;
      if (answer.id === undefined) {
        this.listeners.get(answer.method ?? '')?.(answer.params);
      } else {
        this.waiting.get(answer.id)?.(answer);
        this.waiting.delete(answer.id);
      }
    }
  }
}
