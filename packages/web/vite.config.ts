import { defineConfig } from 'vite'
import react from '@vitejs/plugin-react'
import { applicationFiles } from './application-files.ts'
import { loadedWith } from './loaded-with.ts'
import { buildInformation } from './build-info.ts'
import { mapLand } from './map-land.ts'
import { packed } from './packed.ts'

const isOfStart = loadedWith('index.html')
const isOfList = loadedWith('src/features/devices/list/listing-pages.tsx')

export default defineConfig({
  plugins: [react(), mapLand(), buildInformation(), applicationFiles(), packed()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    sourcemap: false,
    // With older targets the CSS minifier rewrites light-dark(), which loses the dark colours.
    cssTarget: ['chrome123', 'safari17.5', 'firefox120'],
    // Everything is a file of the same origin: the content security policy allows no data: scripts or fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The application is an entry of its own, so that the modules of its start are known as such.
      input: ['index.html', 'src/main.tsx'],
      output: {
        // Without groups, the bundler creates a file per set of pages that share something: a listing would load about
        // 100 files.
        codeSplitting: {
          groups: [
            // The welcome screen and the start of a sign-in, which load nothing else.
            { name: (id, modules) => (isOfStart(id, modules) ? 'start' : null), priority: 1 },
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ },
            { name: 'application', tags: ['$initial'] },
            { name: 'icons', test: /src[\\/]icons[\\/]/, minShareCount: 2 },
            // At 20 or fewer, this group would include the forms and with them zod, which no listing needs.
            { name: 'shared', minShareCount: 34 },
            // What a list loads: parts of many pages, and its own.
            {
              name: (id, modules) =>
                isOfList(id, modules) && !/src[\\/](features|lists)[\\/]/.test(id) ? 'common' : null,
              minShareCount: 2,
            },
            { name: (id, modules) => (isOfList(id, modules) ? 'listing-pages' : null) },
          ],
        },
      },
    },
  },
})
