import axe from 'axe-core'
import { expect } from 'vitest'

/** WCAG 2.2, levels A and AA. */
const criteria = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Fails with each violation of WCAG 2.2, levels A and AA, on the page as it stands, and the element that it is about. */
export async function expectNoViolations(): Promise<void> {
  scrollTo({ top: 0, behavior: 'instant' })
  const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition)
  await Promise.allSettled(transitions.map(({ finished }) => finished))
  const { violations } = await axe.run(document.getElementById('root')!, {
    runOnly: { type: 'tag', values: criteria },
    resultTypes: ['violations'],
    iframes: false,
  })
  expect(
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
    ),
  ).toEqual([])
}
