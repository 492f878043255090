import type { KyselyPlugin, OperationNode, ValueNode } from 'kysely'
import { BinaryOperationNode, ColumnNode, OperationNodeTransformer, RawNode, ReferenceNode } from 'kysely'
import type { TestApp } from '../testing/app.ts'
import { isDistributed } from '../testing/database.ts'

/**
 * The two layers of tenant isolation, each of which must suffice alone: row-level security in the database, and the
 * condition on tenant_id in every statement of the application.
 */
export const layers = ['row security', 'tenant conditions'] as const
export type Layer = (typeof layers)[number]

/** Removes layers from a test's app and its database. */
export async function removeLayers(app: TestApp, taken: readonly Layer[]): Promise<void> {
  if (taken.includes('row security')) await disableRowSecurity(app)
  if (taken.includes('tenant conditions')) {
    // The statement check would reject statements without a condition.
    app.database.unwatch()
    app.context.db = app.context.db.withPlugin(stripping)
  }
}

/** The layers that a walk removes, with the title for its tests. */
export const walks: readonly { title: string; taken: readonly Layer[] }[] = [
  { title: 'with both layers', taken: [] },
  { title: 'without row security', taken: ['row security'] },
  { title: 'without tenant conditions', taken: ['tenant conditions'] },
]

/** Why a walk without tenant conditions is skipped; false if it can run. */
export const unsent = (await isDistributed()) && 'a distributed database refuses statements that name no tenant'

async function disableRowSecurity({ database }: TestApp): Promise<void> {
  const { rows } = await database.owner.query<{ name: string }>(
    `select relname as name from pg_class where relrowsecurity and relnamespace = 'public'::regnamespace`,
  )
  for (const { name } of rows) await database.owner.query(`alter table ${name} disable row level security`)
}

/** Makes every condition on tenant_id in the application's queries true, so that only row-level security is left. */
class WithoutTenantConditions extends OperationNodeTransformer {
  protected override transformBinaryOperation(node: BinaryOperationNode): BinaryOperationNode {
    const isTenant =
      ReferenceNode.is(node.leftOperand) &&
      ColumnNode.is(node.leftOperand.column) &&
      node.leftOperand.column.column.name === 'tenant_id' &&
      node.rightOperand.kind === 'ValueNode'
    if (!isTenant) return super.transformBinaryOperation(node)
    const always = RawNode.create(['coalesce(', ', ', ')'], [node.leftOperand, node.rightOperand as ValueNode])
    return BinaryOperationNode.create(node.leftOperand, node.operator, always)
  }
  protected override transformRaw(node: RawNode): RawNode {
    const fragments = [...node.sqlFragments]
    for (let at = 0; at < fragments.length - 1; at++) {
      const condition = /((?:\w+\.)?tenant_id) = $/.exec(fragments[at]!)
      if (!condition) continue
      fragments[at] += `coalesce(${condition[1]}, `
      fragments[at + 1] = `)${fragments[at + 1]}`
    }
    return super.transformRaw(RawNode.create(fragments, node.parameters))
  }
}
const stripping: KyselyPlugin = {
  transformQuery: ({ node }) => new WithoutTenantConditions().transformNode(node as OperationNode) as typeof node,
  transformResult: async ({ result }) => result,
}
