import { afterEach, vi } from 'vitest'
import './expect.ts'
import { takeOverPage } from './page.ts'
import { closePortal } from './portal.tsx'

// Runs for every file, on the one page that all files share.
takeOverPage()

afterEach(async () => {
  vi.useRealTimers()
  await closePortal()
})
