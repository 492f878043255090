import { defineConfig } from '@playwright/test'
import config from './playwright.config.ts'

/** Measurements in a browser. `npm run bench` runs them; the tests do not. */
export default defineConfig({
  ...config,
  testMatch: 'benches/*.bench.ts',
  workers: 1,
  timeout: 600_000,
  reporter: [['line']],
})
