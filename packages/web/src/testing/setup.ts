import { afterEach, vi } from 'vitest'
import './react-development.ts'
import './expect.ts'
import { takeOverPage } from './page.ts'
import { closePortal } from './portal.tsx'

// Runs for every file, on the page shared by all files.
takeOverPage()

afterEach(async () => {
  vi.useRealTimers()
  await closePortal()
})
