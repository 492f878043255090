import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { queryClient } from './api/query-client.ts'
import { startReach } from './api/reach.ts'
import { startSession } from './api/session.ts'
import { createPortalRouter } from './router.tsx'
import { UiProvider } from './ui/provider.tsx'
import { showSticky } from './ui/toasts.tsx'

// A page opened before an update requests files that no longer exist; only the user knows what may be lost by
// reloading.
addEventListener('vite:preloadError', () =>
  showSticky('A part of Caretaker could not be loaded, perhaps because of an update.', {
    label: 'Reload',
    onPress: () => location.reload(),
  }),
)

startReach()
void startSession()

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <UiProvider>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={createPortalRouter()} />
      </QueryClientProvider>
    </UiProvider>
  </StrictMode>,
)
