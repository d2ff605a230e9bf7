import { environmentProxy } from '../../../lib/core/proxy/environment';
import { shownProxy } from '../../../lib/core/proxy/proxy';

const proxy = 'http://proxy:3128';
const every = { HTTPS_PROXY: proxy, HTTP_PROXY: proxy };

test.each([
  ['https://a.example.com', {}, true],
  ['http://a.example.com', {}, true],
  ['https://a.example.com', { NO_PROXY: 'example.com' }, false],
  ['https://a.example.com', { NO_PROXY: ' .example.com , x' }, false],
  ['https://a.example.com', { NO_PROXY: 'x .example.com' }, false],
  ['https://a.example.com', { NO_PROXY: '*.example.com' }, false],
  ['https://example.com', { NO_PROXY: '.example.com' }, true],
  ['https://example.com', { NO_PROXY: '*.example.com' }, true],
  ['https://aexample.com', { NO_PROXY: 'example.com' }, true],
  ['https://A.Example.com', { NO_PROXY: 'a.eXample.com' }, false],
  ['https://a.example.com.', { NO_PROXY: 'example.com' }, false],
  ['https://a.example.com', { NO_PROXY: 'example.com.' }, false],
  ['https://a.example.com', { NO_PROXY: '*' }, false],
  ['https://a.example.com', { NO_PROXY: 'x,*' }, false],
  ['https://a.example.com', { NO_PROXY: '*ample.com' }, true],
  ['https://a.example.com:6443', { NO_PROXY: 'a.example.com:443' }, true],
  ['https://a.example.com:6443', { NO_PROXY: 'example.com:6443' }, false],
  ['https://a.example.com', { no_proxy: 'a.example.com:443' }, false],
  ['http://a.example.com', { no_proxy: 'a.example.com:80' }, false],
  ['https://a.example.com', { NO_PROXY: '', no_proxy: 'example.com' }, false],
  ['https://a.example.com', { NO_PROXY: 'x', no_proxy: 'example.com' }, true],
  ['https://10.1.2.3', { NO_PROXY: '10.1.2.3' }, false],
  ['https://10.1.2.3:6443', { NO_PROXY: '10.1.2.3:443' }, true],
  ['https://10.1.2.3', { NO_PROXY: '10.0.0.0/8' }, false],
  ['https://11.1.2.3', { NO_PROXY: '10.0.0.0/8' }, true],
  ['https://10.1.2.3', { NO_PROXY: '10.0.0.0/33,10.0.0.0/x,10.1.2' }, true],
  ['https://10.example.com', { NO_PROXY: '10.0.0.0/8' }, true],
  ['https://[fd00::1]:6443', { NO_PROXY: 'fd00::1' }, false],
  ['https://[fd00::1]:6443', { NO_PROXY: '[fd00::1]:6443' }, false],
  ['https://[fd00::1]:6443', { NO_PROXY: '[fd00::1]:443' }, true],
  ['https://[fd00::1]', { NO_PROXY: 'fd00::/8' }, false],
  ['https://[fe00::1]', { NO_PROXY: 'fd00::/8' }, true],
])('%s with %j: by the proxy: %s', (server, env, expected) => {
  expect(environmentProxy(server, { ...every, ...env })).toBe(expected ? proxy : undefined);
});

test.each([
  'https://localhost:6443',
  'https://LOCALHOST.',
  'https://a.localhost',
  'https://127.0.0.1:6443',
  'http://127.255.0.1:8001',
  'http://[::1]:8001',
  'http://169.254.169.254/latest/meta-data',
  'http://0xA9FEA9FE/latest/meta-data',
  'http://[::ffff:169.254.169.254]/latest/meta-data',
  'http://[::ffff:127.0.0.1]/',
  'http://169.254.170.2/v2/credentials',
  'http://169.254.170.23/v1/credentials',
  'http://[fd00:ec2::23]/v1/credentials',
  'http://[fd00:ec2::254]/latest/meta-data',
  'http://[fe80::1]/',
  'http://[febf::1]/',
  'https://vault.corp:8200/credentials',
  'https://vault.corp/other',
  'http://metadata.corp/latest',
])('%s is asked directly, whatever the environment says', (server) => {
  const env = {
    ...every,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: 'https://vault.corp:8200/credentials',
    AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://metadata.corp/',
  };
  for (const NO_PROXY of [undefined, '', 'x', '*']) {
    expect(environmentProxy(server, { ...env, NO_PROXY })).toBeUndefined();
  }
});

test.each([
  'http://128.0.0.1',
  'http://169.253.1.1',
  'http://[fd00:ec3::1]',
  'http://[fec0::1]',
  'http://notlocalhost',
  'https://vault.corp',
])('%s is not of this machine', (server) => {
  expect(environmentProxy(server, { ...every, AWS_CONTAINER_CREDENTIALS_FULL_URI: 'no URL' })).toBe(proxy);
});

test.each([
  ['https://x.com', { HTTP_PROXY: proxy }, undefined],
  ['http://x.com', { HTTPS_PROXY: proxy }, undefined],
  ['https://x.com', { https_proxy: proxy }, proxy],
  ['http://x.com', { http_proxy: proxy }, proxy],
  ['https://x.com', { HTTPS_PROXY: '', https_proxy: proxy }, proxy],
  ['https://x.com', { HTTPS_PROXY: 'http://one:1', https_proxy: proxy }, 'http://one:1'],
  ['https://x.com', { HTTPS_PROXY: 'proxy.corp:3128' }, 'http://proxy.corp:3128'],
  ['https://x.com', { HTTPS_PROXY: '10.0.0.1:3128' }, 'http://10.0.0.1:3128'],
  ['https://x.com', { HTTPS_PROXY: 'https://proxy.corp' }, 'https://proxy.corp'],
  ['https://x.com', { HTTPS_PROXY: 'socks5://proxy.corp:1080' }, 'socks5://proxy.corp:1080'],
])('%s with %j: %s', (server, env, expected) => {
  expect(environmentProxy(server, env)).toBe(expected);
});

test.each([
  ['http://me:hunter2@proxy.corp:3128/path?x=hunter2#hunter2', 'http://proxy.corp:3128'],
  ['https://hunter2@proxy.corp', 'https://proxy.corp:443'],
  ['socks5://me:hunter2@[fd00::1]', 'socks5://[fd00::1]:1080'],
  ['ftp://me:hunter2@proxy', 'with a URL that can not be read'],
  ['http://me:hunter2@pro xy', 'with a URL that can not be read'],
])('a proxy is shown without its login: %s', (url, expected) => {
  expect(shownProxy(url)).toBe(expected);
});
