import type { OptionsFilter } from '@mantine/core'
import { containsAll } from '@caretaker/rules/texts/search-form.ts'

/** The options of a select that have each word of what is typed, as far as it has been typed. */
export const optionsFound: OptionsFilter = ({ options, search }) =>
  options.flatMap((option): typeof options => {
    if (!('group' in option)) return containsAll(option.label, search.trim()) ? [option] : []
    const items = option.items.filter(({ label }) => containsAll(label, search.trim()))
    return items.length > 0 ? [{ ...option, items }] : []
  })
