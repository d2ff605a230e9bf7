import { namesSecret } from '../../../lib/core/validation';

const secrets = `
API_KEY AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN DB_PASSWD SSH_PASSPHRASE GOOGLE_CREDENTIALS GITHUB_PAT
PRIVATE_KEY_PEM SIGNING_KEY DB_PASSWORD DB_PASS MYSQL_PWD GITHUB_TOKEN SLACK_BOT_TOKEN NPM_AUTH CLIENT_SECRET VAULT_SECRET_ID
SECRET_KEY_BASE STRIPE_KEY DATADOG_API_KEYS AZURE_STORAGE_KEY1 AZURE_STORAGE_CONNECTION_STRING ENCRYPTION_KEY_BASE64 JWT
PASSWORD PASSWORD_PROD TOKEN_GITHUB TLS_KEY LICENSE_KEY HMAC_KEY HTPASSWD GIT_CREDENTIALS DBPASSWORD
password dbPassword clientSecret apiKey APIKey accessToken bearerToken privateKey secretKey accessKeyId AWSAccessKeyId bindPW
bindpw githubToken signingSecret basicAuth serviceKey integrationKey passPhrase OAuthToken sessionCookie mysqlpassword apikey
x-api-key X-Auth-Key PRIVATE-TOKEN Authorization Proxy-Authorization Cookie db.password .dockerconfigjson client-secret
ssh-private-key webhook_secret admin_password private_key api_keys
`;

const others = `
secretName SECRET_NAME secretRef secretKeyRef passwordSecretRef existingSecret imagePullSecrets secretStore secretsManager
tokenAudience tokenUrl TOKEN_URL tokenEndpoint tokenExpirationSeconds AWS_WEB_IDENTITY_TOKEN_FILE tokenReview maxTokens
nextToken PASSWORD_FILE passwordPolicy PASSWORD_LENGTH credentialsFile AWS_SHARED_CREDENTIALS_FILE
GOOGLE_APPLICATION_CREDENTIALS keyId KEY_ID publicKey SSH_PUBLIC_KEY sshPublicKeyPem keyVaultUrl keyName key KEY topologyKey
labelKey sortKey partitionKey cacheKey kmsKeyId kmsKey userIDKey userNameKey emailKey groupsKey monkey turkey keyboard
keepAlive KEEPALIVE passThrough bypass passed compass PATH path pattern PWD SSH_AUTH_SOCK authType AUTH_METHOD author
AUTHOR_NAME authority authorizationURL basicAuthUnsupported enablePasswordDB useAuth tokenizer secretariat AWS_REGION
AWS_PROFILE AWS_ROLE_ARN CLUSTER_NAME LOG_LEVEL REPLICAS HOME username clientID certificate caData Content-Type
Idempotency-Key cookieDomain sessionTimeout
`;

const wordsIn = (text: string): string[] => text.trim().split(/\s+/);

test.each(wordsIn(secrets))('%s names a secret', (name) => {
  expect(namesSecret(name)).toBe(true);
});

test.each(wordsIn(others))('%s names none', (name) => {
  expect(namesSecret(name)).toBe(false);
});

test('a name of any length is looked at in no time', () => {
  const started = performance.now();
  ['A', 'a', '_', 'aA', '1', 'key_', 's'].forEach((part) => namesSecret(part.repeat(1_000_000)));
  expect(performance.now() - started).toBeLessThan(500);
});
