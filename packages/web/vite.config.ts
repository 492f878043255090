import { defineConfig } from 'vite'
import react from '@vitejs/plugin-react'
import { buildInformation } from './build-info.ts'
import { contractCalls } from './contract-calls.ts'

const server = 'http://localhost:8080'

const forms = /[\\/](zod|react-hook-form|@hookform|forms)[\\/]|[\\/]zod\.ts$|\?whole$/

export default defineConfig({
  plugins: [react(), contractCalls(), buildInformation()],
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
        chunkFileNames: ({ name }) => `assets/${name.replace(/~.*/, '')}-[hash].js`,
        // Few files: what every page begins with, what forms need, and what the same screens share, little of which joins its like.
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ },
            { name: 'start', tags: ['$initial'] },
            { name: 'forms', test: forms, minShareCount: 2, includeDependenciesRecursively: false },
            { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 30_000 },
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
