import { defineConfig } from '@playwright/test'
import config from './playwright.config.ts'

/** What is measured in a browser; `npm run bench` runs it, never the tests. */
export default defineConfig({
  ...config,
  testMatch: 'benches/*.bench.ts',
  workers: 1,
  timeout: 600_000,
  reporter: [['line']],
})
