import type { Say } from './cached-folder';
import { canInstallPackages, installPackages, onPath } from './debian-packages';

/** Names of the program in the packages of Debian, Ubuntu, Fedora, Alpine and Google. */
const names = [
  ...['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
];

/** Debian's package of the browser without windows; it has a third of the dependencies of `chromium`. */
const debianPackage = 'chromium-headless-shell';

/**
 * Path of Chromium; `CHROMIUM` names another one.
 *
 * @throws Error where there is none
 */
export function chromiumPath(): string {
  const path = installed();
  if (path === undefined) {
    throw new Error(
      'Chromium is missing. Install it (Debian: apt-get install chromium-headless-shell), or name it in CHROMIUM, and start again.',
    );
  }
  return path;
}

/** Installs Chromium where there is none and this can be done: on Debian, as root. */
export async function provideChromium(say: Say): Promise<void> {
  if (installed() === undefined && canInstallPackages()) {
    say(`Chromium is missing: installing the Debian package ${debianPackage} with apt-get`);
    await installPackages([debianPackage, 'fonts-liberation'], say);
  }
  chromiumPath();
}

function installed(): string | undefined {
  const named = process.env.CHROMIUM;
  return named === undefined || named === '' ? names.map(onPath).find((path) => path !== undefined) : named;
}
