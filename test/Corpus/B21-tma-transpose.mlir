// RUN: %corpus %s
// B21: a user's PTX that copies tiles by tensor maps, in and out. No size is a multiple
// of the tile, and only a run knows them.
// GPU: only
// CASE: 4x4xf32=1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 -> 4x4xf32=1 5 9 13 2 6 10 14 3 7 11 15 4 8 12 16
// CASE: 12x20xf32=1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179 180 181 182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199 200 201 202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217 218 219 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 240 -> 20x12xf32=1 21 41 61 81 101 121 141 161 181 201 221 2 22 42 62 82 102 122 142 162 182 202 222 3 23 43 63 83 103 123 143 163 183 203 223 4 24 44 64 84 104 124 144 164 184 204 224 5 25 45 65 85 105 125 145 165 185 205 225 6 26 46 66 86 106 126 146 166 186 206 226 7 27 47 67 87 107 127 147 167 187 207 227 8 28 48 68 88 108 128 148 168 188 208 228 9 29 49 69 89 109 129 149 169 189 209 229 10 30 50 70 90 110 130 150 170 190 210 230 11 31 51 71 91 111 131 151 171 191 211 231 12 32 52 72 92 112 132 152 172 192 212 232 13 33 53 73 93 113 133 153 173 193 213 233 14 34 54 74 94 114 134 154 174 194 214 234 15 35 55 75 95 115 135 155 175 195 215 235 16 36 56 76 96 116 136 156 176 196 216 236 17 37 57 77 97 117 137 157 177 197 217 237 18 38 58 78 98 118 138 158 178 198 218 238 19 39 59 79 99 119 139 159 179 199 219 239 20 40 60 80 100 120 140 160 180 200 220 240
// CASE: 4x3xf32=1 2 3 4 5 6 7 8 9 10 11 12 -> error: dimension 0 has a stride of 3 elements of 4 bytes, but a tensor map needs a positive multiple of 16 bytes

!x = !wrapper.buffer<[s0, s1], f32, #wrapper.device<"cuda">>
!y = !wrapper.buffer<[s1, s0], f32, #wrapper.device<"cuda">>
!tx = tensor<?x?xf32, #sym.shape<[s0, s1]>>
!ty = tensor<?x?xf32, #sym.shape<[s1, s0]>>

wrapper.kernel @transpose() attributes {device = #wrapper.device<"cuda">, threads = array<i64: 64, 1, 1>, reference = @means,
    parameters = [#wrapper.param<"x", read, !wrapper.tma_descriptor>, #wrapper.param<"y", write, !wrapper.tma_descriptor>],
    ptx = ".version 8.0\n.target sm_90\n.address_size 64\n// y = transposed x, in tiles of 8 x 8: both sides are copied by tensor maps.\n.visible .entry transpose(\n  .param .align 64 .b8 transpose_x[128],\n  .param .align 64 .b8 transpose_y[128]\n)\n{\n  .reg .pred %first, %done;\n  .reg .b32 %t, %row, %column, %x, %y, %from, %to, %f;\n  .reg .b64 %mx, %my;\n  .shared .align 128 .b8 tile[256];\n  .shared .align 128 .b8 turned[256];\n  .shared .align 8 .b8 bar[8];\n  mov.b64 %mx, transpose_x;\n  cvta.param.u64 %mx, %mx;\n  mov.b64 %my, transpose_y;\n  cvta.param.u64 %my, %my;\n  mov.u32 %t, %tid.x;\n  mov.u32 %x, %ctaid.x;\n  shl.b32 %x, %x, 3;\n  mov.u32 %y, %ctaid.y;\n  shl.b32 %y, %y, 3;\n  setp.eq.u32 %first, %t, 0;\n  @!%first bra LOADED;\n  mbarrier.init.shared::cta.b64 [bar], 1;\n  fence.proxy.async.shared::cta;\n  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;\n  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%mx, {%x, %y}], [bar];\nLOADED:\n  bar.sync 0;\nWAIT:\n  mbarrier.try_wait.parity.shared::cta.b64 %done, [bar], 0;\n  @!%done bra WAIT;\n  shr.u32 %row, %t, 3;\n  and.b32 %column, %t, 7;\n  mov.u32 %from, tile;\n  mad.lo.u32 %from, %t, 4, %from;\n  ld.shared.b32 %f, [%from];\n  mad.lo.u32 %column, %column, 8, %row;\n  mov.u32 %to, turned;\n  mad.lo.u32 %to, %column, 4, %to;\n  st.shared.b32 [%to], %f;\n  fence.proxy.async.shared::cta;\n  bar.sync 0;\n  @!%first bra DONE;\n  cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%my, {%y, %x}], [turned];\n  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\nDONE:\n  ret;\n}\n"} {
  func.func @means(%x: !tx) -> !ty attributes {sym.symbols = {s0 = #sym.range<1, 64>, s1 = #sym.range<1, 64>}} {
    %y = graph.permute %x [1, 0] : (!tx) -> !ty
    return %y : !ty
  }
}

wrapper.grid @tiles["m", "n"] cases [#wrapper.grid_case<{}, <[(n + 7) floordiv 8, (m + 7) floordiv 8, 1]>>]

wrapper.func @main(%x: !x) -> !y attributes {sym.symbols = {s0 = #sym.range<1, 64>, s1 = #sym.range<1, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !x
  wrapper.input_symbol "s1" = size 1 of %x : !x
  wrapper.assert_layout %x, "x" : !x
  %0 = wrapper.alloc : !y
  %from = wrapper.tma_descriptor %x box [8, 8] : !x
  %to = wrapper.tma_descriptor %0 box [8, 8] promotion b128 : !y
  wrapper.launch_user @transpose grid @tiles[s0, s1] config {} arguments [unit, unit]
      ins(%x : !x) outs(%0 : !y) maps(%from, %to)
  wrapper.return %0 : !y
}
