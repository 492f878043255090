import { defineConfig } from '@playwright/test'
import { launchArgs } from '../../tools/chromium.mjs'
import { isShared, origin, port } from './fixtures/address.ts'

/** Without a shell in between, the product exits when its parent does, for any reason. */
const serve = `${process.platform === 'win32' ? '' : 'exec '}${process.execPath} fixtures/serve.ts`

/** The product, started as in the README, with the demo data in its own folder. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: isShared ? `../../results/browser-${port}` : '../../results/browser',
  // Tests of one file run at the same time and in any order.
  fullyParallel: true,
  workers: 2,
  // Files that share rows of the demo can still interfere. `npm test` lists a test that passes at its second attempt as flaky,
  // which is a bug to fix.
  retries: process.env.CARETAKER_RUN ? 1 : 0,
  forbidOnly: Boolean(process.env.CI),
  timeout: 60_000,
  expect: { timeout: 15_000, toPass: { intervals: [50, 100, 250] } },
  reporter: [
    ['list'],
    ['../../tools/playwright-reporter.mjs'],
    ['junit', { outputFile: '../../results/junit/e2e.xml' }],
  ],
  use: {
    baseURL: origin,
    locale: 'en-GB',
    // Waiting for animations would take a tenth of the time. Tests of animations turn them on.
    contextOptions: { reducedMotion: 'reduce' },
    timezoneId: 'Europe/London',
    viewport: { width: 1440, height: 960 },
    // Recording a trace of full tables costs more than the tests; use `--trace on` for the test in question.
    trace: 'off',
    screenshot: 'only-on-failure',
    launchOptions: { executablePath: process.env.CHROMIUM_PATH, args: launchArgs },
  },
  webServer: {
    command: serve,
    env: { npm_lifecycle_event: process.env.npm_lifecycle_event ?? 'test' },
    url: `${origin}/readyz`,
    timeout: 180_000,
    reuseExistingServer: isShared,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 20_000 },
    stdout: 'ignore',
    stderr: 'pipe',
  },
})
