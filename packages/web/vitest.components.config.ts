import { playwright } from '@vitest/browser-playwright'
import react from '@vitejs/plugin-react'
import { defineProject } from 'vitest/config'
import { chromiumPath, launchArgs } from '../../tools/chromium.mjs'
import { providerPages } from '../../tools/provider-pages.mjs'
import { mapLand } from './map-land.ts'

/** Every package that the pages and their tests import. */
const packages = [
  '@hookform/resolvers/zod',
  '@mantine/core',
  '@mantine/dates',
  '@mantine/hooks',
  '@mantine/notifications',
  '@mswjs/interceptors/XMLHttpRequest/web',
  '@mswjs/interceptors/fetch/web',
  '@protomaps/basemaps',
  '@tanstack/react-query',
  '@tanstack/react-router',
  '@tanstack/react-table',
  'axe-core',
  'eventsource-parser',
  'fflate',
  'libphonenumber-js/min',
  'maplibre-gl',
  'markdown-it',
  'oidc-client-ts',
  'pmtiles',
  'qrcode.react',
  'react',
  'react-dom',
  'react-dom/client',
  'react-hook-form',
  'react/jsx-dev-runtime',
  'react/jsx-runtime',
  'uplot',
  'zod',
]

/** The pages of the portal in a real browser, with the server replaced by `src/testing/network.ts`. */
export default defineProject({
  root: import.meta.dirname,
  plugins: [react(), mapLand()],
  // All at the start: one that Vite discovered during a test would be bundled then, with a second copy of React.
  optimizeDeps: { noDiscovery: true, include: packages },
  test: {
    name: 'components',
    include: ['src/**/*.component.test.tsx'],
    setupFiles: ['src/testing/setup.ts'],
    // The product's modules are loaded once for all files; `openPortal` resets the state.
    isolate: false,
    // They run alone: a browser that waits for CPU time shows texts too late.
    sequence: { groupOrder: 2 },
    maxWorkers: 2,
    testTimeout: 20_000,
    expect: { poll: { timeout: 5_000 } },
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      viewport: { width: 1440, height: 960 },
      // As in the browser stories: a name matches partially, unless a test asks for the whole.
      locators: { exact: false },
      provider: playwright({
        launchOptions: { executablePath: await chromiumPath(), args: launchArgs },
        contextOptions: { locale: 'en-GB', timezoneId: 'Europe/London', reducedMotion: 'reduce' },
        actionTimeout: 10_000,
      }),
      instances: [{ browser: 'chromium' }],
      commands: { providerPages },
    },
  },
})
