import type { OptionsFilter } from '@mantine/core'
import { containsAll } from '@caretaker/rules/texts/search-form.ts'

/** The select options that contain each typed word. */
export const optionsFound: OptionsFilter = ({ options, search }) =>
  options.flatMap((option): typeof options => {
    if (!('group' in option)) return containsAll(option.label, search.trim()) ? [option] : []
    const items = option.items.filter(({ label }) => containsAll(label, search.trim()))
    return items.length > 0 ? [{ ...option, items }] : []
  })
