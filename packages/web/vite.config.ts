import { defineConfig } from 'vite'
import react from '@vitejs/plugin-react'
import { buildInformation } from './build-info.ts'

const server = 'http://localhost:8080'

export default defineConfig({
  plugins: [react(), buildInformation()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    sourcemap: false,
    // Older targets make the CSS minifier rewrite light-dark(), and the dark colours are lost.
    cssTarget: ['chrome123', 'safari17.5', 'firefox120'],
    // Everything is a file of its own origin: the content security policy allows no data: scripts or fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    port: 5173,
    // The origin must stay the browser's: the identity provider compares redirect addresses with it.
    proxy: { '/api': { target: server, changeOrigin: false }, '/oidc': { target: server, changeOrigin: false } },
  },
})
