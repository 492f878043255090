import { page } from 'vitest/browser'
import type { Locator } from 'vitest/browser'
import { rows } from './list-screen.ts'

export const main: Locator = page.getByRole('main')
export const sidebar: Locator = page.getByRole('complementary').getByRole('navigation', { name: 'Main' })
export const refused: Locator = main.getByText("You don't have permission.")
export const notFound: Locator = main.getByText('Not found.', { exact: true })
/** The tabs of a page, each with its own address. */
export const tabs: Locator = page.getByRole('navigation', { name: 'Sections of this page' }).getByRole('link')
export const region = (name: string | RegExp): Locator => page.getByRole('region', { name, exact: true })
export const button = (name: string | RegExp): Locator => page.getByRole('button', { name })
/** A row of a table by its text. */
export const rowWith = (text: string | RegExp): Locator => rows.filter({ hasText: text })
