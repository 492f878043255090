import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, test } from 'vitest'
import { readConfig } from './config.ts'
import { secretSettings } from './given-settings.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-secrets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function secretFile(content: string): string {
  const file = path.join(folder, `${Math.random()}`)
  writeFileSync(file, content, { mode: 0o600 })
  return file
}

test('every secret can be given as a file; line breaks at its end are dropped', () => {
  const secrets: Record<(typeof secretSettings)[number], string> = {
    DATABASE_URL: 'postgres://caretaker:secret@db.test/caretaker',
    MQTT_URL: 'mqtt://ingest:secret@broker.test',
    SMTP_URL: 'smtp://user:secret@mail.test',
    FILES_URL: 'https://KEY:SECRET@s3.test/bucket',
    S3_KEY: 'a key',
    S3_SECRET: ' a secret ',
    POSTCODE_SERVICE_KEY: 'key of the service',
    CARETAKER_BROKER_SECRET: 'a secret of the broker',
    CARETAKER_TRIAL_DATABASE_URL: 'postgres://trial:secret@trial.test/postgres',
    CARETAKER_METRICS_TOKEN: 'a token of prometheus',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=secret',
  }
  const others = {
    HEALTH_PORT: '9090',
    POSTCODE_SERVICE: 'os-places',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.test:4318',
  }
  const bucket = { FILES_URL: undefined, S3_BUCKET: 'bucket' }
  const noBucket = { S3_KEY: undefined, S3_SECRET: undefined }
  for (const more of [bucket, noBucket]) {
    const plain = { ...secrets, ...others, ...more }
    const files = Object.fromEntries(
      secretSettings
        .filter((name) => plain[name] !== undefined)
        .map((name) => [`${name}_FILE`, secretFile(`${plain[name]}\r\n`)]),
    )
    assert.deepEqual(
      readConfig({ ...others, ...('S3_BUCKET' in more ? { S3_BUCKET: 'bucket' } : {}), ...files }),
      readConfig(plain),
    )
  }
})

test('a missing or empty file, and a secret given twice, are named in one error', () => {
  const missing = path.join(folder, 'missing')
  const empty = secretFile('\n')
  const both = secretFile('smtp://mail.test')
  assert.throws(
    () =>
      readConfig({
        ...{ DATABASE_URL_FILE: missing, MQTT_URL_FILE: empty },
        ...{ SMTP_URL: 'smtp://other.test', SMTP_URL_FILE: both },
      }),
    (error: Error) => {
      assert.equal(
        error.message,
        `Wrong setting. DATABASE_URL_FILE: ${missing} cannot be read (ENOENT); MQTT_URL_FILE: ${empty} is empty; SMTP_URL and SMTP_URL_FILE are both set: give one of them`,
      )
      return true
    },
  )
  assert.throws(() => readConfig({ DATABASE_URL_FILE: secretFile('mysql://x') }), /DATABASE_URL: must be/)
})

test('unknown settings are named with the nearest known name; settings of tools are not', () => {
  const env = {
    CARETAKER_ORIGN: 'https://portal.test',
    CARETAKER_METRIC_TOKEN_FILE: '/run/token',
    CARETAKER_UNRELATED_NAME: 'x',
    CARETAKER_EMPTY: '',
    CARETAKER_TEST_DATABASE: 'x',
    CARETAKER_VERSION: '1',
    CARETAKER_LOG: 'error',
    OTHER_CARETAKER_ORIGN: 'x',
  }
  assert.deepEqual(readConfig(env).unknownSettings, [
    { name: 'CARETAKER_METRIC_TOKEN_FILE', nearest: 'CARETAKER_METRICS_TOKEN_FILE' },
    { name: 'CARETAKER_ORIGN', nearest: 'CARETAKER_ORIGIN' },
    { name: 'CARETAKER_UNRELATED_NAME' },
  ])
})
