/** How are two matrices multiplied at the speed of the machine? By a session that holds one Gemm. */
import { InvariantError } from '../base/errors.ts';
import { createGraphBuilder } from '../graph/builder.ts';
import { encodeModel } from '../graph/protobuf/encode.ts';
import { tensorOf } from '../tensor/tensor.ts';
import { createSession } from './session.ts';

export type MatrixProduct = AsyncDisposable & {
  /**
   * left [M, K] and right [K, N] row after row (with `transposeLeft` left is given as [K, M], with `transposeRight` right as [N, K]).
   * @returns float32 [M, N].
   */
  readonly multiply: (left: Float32Array, right: Float32Array, inner: number) => Promise<Float32Array>;
};

/** Opens a product of either form; any sizes fit one session. @throws what `createSession` throws. */
export async function openMatrixProduct({ transposeLeft = false, transposeRight = false, threads }: { readonly transposeLeft?: boolean; readonly transposeRight?: boolean; readonly threads?: number } = {}): Promise<MatrixProduct> {
  const g = createGraphBuilder('product');
  const left = g.input('left', 'float32', transposeLeft ? ['K', 'M'] : ['M', 'K']);
  const right = g.input('right', 'float32', transposeRight ? ['N', 'K'] : ['K', 'N']);
  const model = encodeModel(g.build({ product: g.gemm(left, right, { transA: transposeLeft, transB: transposeRight }) }));
  const session = await createSession(model, threads === undefined ? {} : { threads });
  return {
    multiply: async (a, b, inner) => {
      const [rows, columns] = [a.length / inner, b.length / inner];
      const { product } = await session.run({
        left: tensorOf('float32', transposeLeft ? [inner, rows] : [rows, inner], a),
        right: tensorOf('float32', transposeRight ? [columns, inner] : [inner, columns], b),
      });
      if (product?.dtype !== 'float32') throw new InvariantError('runtime.dtype', 'A matrix product should be float32.');
      return product.data;
    },
    [Symbol.asyncDispose]: () => session.dispose(),
  };
}
