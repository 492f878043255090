import { defineConfig } from 'vite'
import react from '@vitejs/plugin-react'
import { buildInformation } from './build-info.ts'
import { contractCalls } from './contract-calls.ts'
import { mapLand } from './map-land.ts'
import { packed } from './packed.ts'

const server = 'http://localhost:8080'

export default defineConfig({
  plugins: [react(), contractCalls(), mapLand(), buildInformation(), packed()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    sourcemap: false,
    // Older targets make the CSS minifier rewrite light-dark(), and the dark colours are lost.
    cssTarget: ['chrome123', 'safari17.5', 'firefox120'],
    // Everything is a file of its own origin: the content security policy allows no data: scripts or fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Few files, by the floors of the house: none can then wait for one that waits for it. What only forms ask, the shapes of
        // the contract and what checks them, is apart, so that no other page loads it.
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ },
            { name: 'start', tags: ['$initial'] },
            {
              name: 'shapes',
              test: /node_modules[\\/](zod|react-hook-form|@hookform)[\\/]|[\\/]zod\.ts$|\?whole$/,
              includeDependenciesRecursively: false,
            },
            { name: 'parts', test: /node_modules/, minShareCount: 31 },
            // Signs of a hundred bytes each: those that many pages have are one file.
            { name: 'signs', test: /src[\\/]icons[\\/]/, minShareCount: 4 },
            // What only pages of devices ask, no listing loads.
            {
              name: 'rules',
              test: /packages[\\/](rules|contract)[\\/]src[\\/](?!lighting|alerts|groups|inspection|buildings|maps|imports|properties|property-|damp|void-mode|telemetry|messages|faults|conditions|boilers|logs|maintenance|equipment|residents|tenant-|commands[\\/]life|actions[\\/]operations|devices[\\/]tabs)/,
              minShareCount: 2,
            },
            // What one page and the shapes of its forms ask of rules: in the page's own file the shapes would wait for the page.
            { name: 'integrations', test: /rules[\\/]src[\\/](webhooks[\\/]webhooks|api-keys[\\/]api-keys)\.ts$/ },
            // Forms bring what checks them: however many pages have some, no other page loads them.
            {
              name: 'forms',
              test: /src[\\/]ui[\\/]forms[\\/]/,
              minShareCount: 2,
              includeDependenciesRecursively: false,
            },
            {
              name: 'ui',
              test: /src[\\/]ui[\\/](?!forms[\\/]|time-chart|chart|page-head|date-range)/,
              minShareCount: 6,
            },
            { name: 'common', test: /src[\\/](api|actions)[\\/]/, minShareCount: 4 },
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    // The origin must stay the browser's: the identity provider compares redirect addresses with it.
    proxy: { '/api': { target: server, changeOrigin: false }, '/oidc': { target: server, changeOrigin: false } },
  },
})
